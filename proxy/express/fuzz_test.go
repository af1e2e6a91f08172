package express_test

import (
	"bytes"
	"io"
	"net"
	"regexp"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/waitroom/waitroom/proxy/express"
)

// pieces is a connection in memory whose bytes come in pieces: as many as the next of
// sizes says, again and again.
type pieces struct {
	left  []byte
	sizes []byte
	next  int
	wrote bytes.Buffer
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := len(p.left)
	if len(p.sizes) > 0 {
		n = 1 + int(p.sizes[p.next%len(p.sizes)])
		p.next++
	}
	n = copy(b, p.left[:min(n, len(p.left))])
	p.left = p.left[n:]
	return n, nil
}

func (p *pieces) Write(b []byte) (int, error)    { return p.wrote.Write(b) }
func (*pieces) Close() error                     { return nil }
func (*pieces) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*pieces) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*pieces) SetDeadline(time.Time) error      { return nil }
func (*pieces) SetReadDeadline(time.Time) error  { return nil }
func (*pieces) SetWriteDeadline(time.Time) error { return nil }

var dates = regexp.MustCompile(`[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9 :]{14}GMT`)

// outcome is what a client gets and what a server reads that says nothing.
func outcome(text, sizes []byte, two bool) string {
	p := &pieces{left: text, sizes: sizes}
	lane := benchLane()
	var c interface {
		net.Conn
		Await() error
	}
	if two {
		c = lane.HTTP2(p, "shop.example.com", most, func(string) {}, func(h *express.HTTP2) express.Place { return nobody{h} })
	} else {
		c = lane.HTTP1(p, "shop.example.com", most, func(string) {}, func(h *express.HTTP1) express.Place { return nobody{h} })
	}
	var read []byte
	if c.Await() == nil {
		read, _ = io.ReadAll(io.LimitReader(whole{c}, 1<<20))
	}
	return dates.ReplaceAllString(p.wrote.String(), "now") + "\n--\n" + string(read)
}

// whole reads as servers do, never a single byte.
type whole struct{ io.Reader }

func (w whole) Read(p []byte) (int, error) {
	b := make([]byte, 4096)
	n, err := w.Reader.Read(b[:max(2, min(len(p), len(b)))])
	return copy(p, b[:n]), err
}

// FuzzHTTP1: it does not matter in which pieces bytes come.
func FuzzHTTP1(f *testing.F) {
	const ready, other = "GET /ready/5 HTTP/1.1\r\nHost: a\r\n\r\n", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
	for _, text := range []string{ready, ready + ready, ready + other + ready + ready, other + other, ready + "GET  /", "\r\n" + ready + "\r\n" + ready,
		"GET /ready/5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + ready, "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + ready} {
		for _, sizes := range [][]byte{{0}, {1, 7, 0}, {30}} {
			f.Add([]byte(text), sizes)
		}
	}
	f.Fuzz(func(t *testing.T, text, sizes []byte) {
		if got, want := outcome(text, sizes, false), outcome(text, nil, false); got != want {
			t.Errorf("in pieces of %v:\n%.3000q\nat once:\n%.3000q", sizes, got, want)
		}
	})
}

// FuzzHTTP2 is the same over HTTP/2, behind a preface and settings.
func FuzzHTTP2(f *testing.F) {
	begin := func(do func(*http2.Framer, *client)) []byte {
		var b bytes.Buffer
		fr, c := http2.NewFramer(&b, nil), newEncoder()
		do(fr, c)
		return b.Bytes()
	}
	ask := func(fr *http2.Framer, c *client, stream uint32, path string) {
		_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.fields("GET", path), EndStream: true, EndHeaders: true})
	}
	for _, text := range [][]byte{
		begin(func(fr *http2.Framer, c *client) { ask(fr, c, 1, "/ready/5"); ask(fr, c, 3, "/ready/500") }),
		begin(func(fr *http2.Framer, c *client) {
			ask(fr, c, 1, "/ready/5")
			ask(fr, c, 3, "/other")
			ask(fr, c, 5, "/ready/5")
			ask(fr, c, 7, "/other")
		}),
		begin(func(fr *http2.Framer, c *client) {
			_ = fr.WritePing(false, [8]byte{})
			ask(fr, c, 1, "/ready/5")
			_ = fr.WriteRSTStream(1, 0)
			_ = fr.WriteWindowUpdate(0, 100)
			_ = fr.WriteRawFrame(0x20, 0, 0, make([]byte, 1000))
			_ = fr.WriteSettings(http2.Setting{ID: 4, Val: 3})
			ask(fr, c, 3, "/ready/5")
			_ = fr.WriteData(3, true, []byte("abc"))
		}),
		begin(func(fr *http2.Framer, c *client) {
			b := bytes.Clone(c.fields("GET", "/ready/5"))
			_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:5], EndStream: true})
			_ = fr.WriteContinuation(1, true, b[5:])
			_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: c.fields("GET", "/a", "connection", "x"), EndHeaders: true, PadLength: 3, Priority: http2.PriorityParam{StreamDep: 3}})
			_ = fr.WriteData(3, true, make([]byte, 5000))
		}),
	} {
		for _, sizes := range [][]byte{{0}, {1, 7, 0}, {30}} {
			f.Add(text, sizes)
		}
	}
	f.Fuzz(func(t *testing.T, text, sizes []byte) {
		var b bytes.Buffer
		b.WriteString(http2.ClientPreface)
		_ = http2.NewFramer(&b, nil).WriteSettings()
		b.Write(text)
		if got, want := outcome(b.Bytes(), sizes, true), outcome(b.Bytes(), nil, true); got != want {
			t.Errorf("in pieces of %v:\n%.3000q\nat once:\n%.3000q", sizes, got, want)
		}
	})
}

// FuzzServer: whatever a server writes, in whatever pieces, and whatever room there is,
// reaches the client in whole frames, in order on each stream, and never more than that.
func FuzzServer(f *testing.F) {
	f.Add([]byte{10, 200, 3, 7, 100, 255, 0, 9}, []byte{3, 50})
	f.Add([]byte{255, 255, 255, 255, 1, 0, 1, 0}, []byte{255})
	f.Fuzz(fuzzServer)
}
