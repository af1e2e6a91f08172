package proxy_test

import (
	"bytes"
	"crypto/tls"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// wire speaks HTTP/2 with a stage, frame by frame.
type wire struct {
	t testing.TB
	*tls.Conn
	*http2.Framer
	block bytes.Buffer
	enc   *hpack.Encoder
}

func (s *stage) wire(t testing.TB) *wire {
	t.Helper()
	conn, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: "localhost", NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	raw := conn.NetConn() // alone, so that what TLS keeps for a connection goes when its user is done with it
	t.Cleanup(func() { _ = raw.Close() })
	_ = conn.SetDeadline(time.Now().Add(3 * time.Minute))
	w := &wire{t: t, Conn: conn, Framer: http2.NewFramer(conn, conn)}
	w.AllowIllegalWrites = true
	w.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	w.enc = hpack.NewEncoder(&w.block)
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	w.sent(w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20}))
	return w
}

func (w *wire) sent(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("send: %v", err)
	}
}

// head is the block of some fields, name and value in turn.
func (w *wire) head(fields ...string) []byte {
	w.block.Reset()
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}) // a buffer takes everything
	}
	return w.block.Bytes()
}

// ask sends a request: its head, pieces of its body, and a trailer. A nil trailer is
// none.
func (w *wire) ask(stream uint32, fields, body, trailer []string) {
	w.t.Helper()
	w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: w.head(fields...), EndHeaders: true, EndStream: len(body) == 0 && trailer == nil}))
	for i, piece := range body {
		w.sent(w.WriteData(stream, i == len(body)-1 && trailer == nil, []byte(piece)))
	}
	if trailer != nil {
		w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: w.head(trailer...), EndHeaders: true, EndStream: true}))
	}
}

// outcome is the status that a stream is answered with, or how it was given up.
func (w *wire) outcome(stream uint32) string {
	w.t.Helper()
	status := ""
	for {
		f, err := w.ReadFrame()
		if err != nil {
			return status + " cut"
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			if f.StreamID == stream && f.PseudoValue("status") >= "200" {
				return f.PseudoValue("status")
			}
		case *http2.RSTStreamFrame:
			if f.StreamID == stream {
				return f.ErrCode.String()
			}
		case *http2.GoAwayFrame:
			return "GOAWAY " + f.ErrCode.String()
		}
	}
}

// asked is a request's head but for what it has otherwise or besides.
func asked(fields ...string) []string {
	all := []string{":method", "GET", ":scheme", "https", ":path", "/x", ":authority", "a"}
	for i := 0; i < len(fields); i += 2 {
		if at := slices.Index(all, fields[i]); at >= 0 && at%2 == 0 && at < 8 {
			all[at+1] = fields[i+1]
		} else {
			all = append(all, fields[i], fields[i+1])
		}
	}
	return all
}
