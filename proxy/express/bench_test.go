package express_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/waitroom/waitroom/proxy/express"
)

// looped is a connection in memory, of a client that says the same again and again, so
// often. What is written to it is counted.
type looped struct {
	first, again []byte
	left         int
	rest         []byte
	wrote        int
}

func (l *looped) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		switch {
		case l.first != nil:
			l.rest, l.first = l.first, nil
		case l.left == 0:
			return 0, io.EOF
		default:
			l.left--
			l.rest = l.again
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *looped) Write(p []byte) (int, error)    { l.wrote += len(p); return len(p), nil }
func (*looped) Close() error                     { return nil }
func (*looped) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*looped) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*looped) SetDeadline(time.Time) error      { return nil }
func (*looped) SetReadDeadline(time.Time) error  { return nil }
func (*looped) SetWriteDeadline(time.Time) error { return nil }

const browser = "GET /ready/2400 HTTP/1.1\r\nHost: shop.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: de,en-US;q=0.7,en;q=0.3\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" +
	"Connection: keep-alive\r\nCookie: a=0123456789abcdef0123456789abcdef; b=0123456789abcdef\r\nUpgrade-Insecure-Requests: 1\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n\r\n"

type nobody struct{ net.Conn }

func (nobody) Stirred(time.Time) {}

func benchLane() *express.Lane {
	return express.New(&desk{}, express.Times{Head: time.Second, Idle: time.Minute, Write: time.Minute}, 128, func() bool { return false })
}

func run1(lane *express.Lane, l *looped) error {
	return lane.HTTP1(l, "shop.example.com", most, func(string) {}, func(h *express.HTTP1) express.Place { return nobody{h} }).Await()
}

// frames2 are what a browser begins with, and a request of it, so often, when its table
// is warm: the streams are put into it one after the other.
func run2(lane *express.Lane, n, atOnce int) (int, error) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	all := []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "shop.example.com"}, {Name: ":path", Value: "/ready/110"},
		{Name: "user-agent", Value: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}, {Name: "accept", Value: "*/*"}, {Name: "accept-encoding", Value: "gzip, deflate, br, zstd"},
		{Name: "accept-language", Value: "de,en-US;q=0.7,en;q=0.3"}, {Name: "cookie", Value: "a=0123456789abcdef0123456789abcdef"}, {Name: "cookie", Value: "b=0123456789abcdef"}, {Name: "sec-fetch-mode", Value: "cors"}}
	encode := func() []byte {
		block.Reset()
		for _, f := range all {
			_ = e.WriteField(f)
		}
		return block.Bytes()
	}
	var first bytes.Buffer
	first.WriteString(http2.ClientPreface)
	f := http2.NewFramer(&first, nil)
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	_ = f.WriteWindowUpdate(0, 1<<30)
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: encode(), EndStream: true, EndHeaders: true})
	m := &many{looped: looped{first: first.Bytes(), left: (n + atOnce - 1) / atOnce}, stream: 3}
	var again bytes.Buffer
	f = http2.NewFramer(&again, nil)
	b := encode()
	for range atOnce {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b, EndStream: true, EndHeaders: true})
	}
	m.again, m.size = again.Bytes(), again.Len()/atOnce
	h := lane.HTTP2(m, "shop.example.com", most, func(string) {}, func(h *express.HTTP2) express.Place { return nobody{h} })
	return m.wrote, h.Await()
}

// many numbers the streams.
type many struct {
	looped
	stream uint32
	size   int
}

func (m *many) Read(p []byte) (int, error) {
	if m.first == nil && len(m.rest) == 0 {
		for at := 0; at < len(m.again); at += m.size {
			m.again[at+5], m.again[at+6], m.again[at+7], m.again[at+8] = byte(m.stream>>24), byte(m.stream>>16), byte(m.stream>>8), byte(m.stream)
			m.stream += 2
		}
	}
	return m.looped.Read(p)
}

func BenchmarkHTTP1(b *testing.B) {
	b.ReportAllocs()
	lane := benchLane()
	_ = run1(lane, &looped{again: []byte(browser), left: b.N})
}

func BenchmarkHTTP2(b *testing.B) {
	for _, atOnce := range []int{1, 4} {
		b.Run(fmt.Sprint(atOnce), func(b *testing.B) {
			b.ReportAllocs()
			_, _ = run2(benchLane(), b.N, atOnce)
		})
	}
}

// mostAllocs of a request: what a connection costs is in it.
var mostAllocs = 0.1

// TestAllocs: a request that is answered costs no memory, over either protocol.
func TestAllocs(t *testing.T) {
	lane := benchLane()
	const n = 2000
	one := testing.AllocsPerRun(5, func() { _ = run1(lane, &looped{again: []byte(browser), left: n}) })
	two := testing.AllocsPerRun(5, func() { _, _ = run2(lane, n, 1) })
	for i, got := range []float64{one, two} {
		if got > mostAllocs*n {
			t.Errorf("HTTP/%d: %v allocations for %d requests", i+1, got, n)
		}
	}
}
