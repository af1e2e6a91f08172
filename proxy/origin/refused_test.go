package origin_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// framed is a server of HTTP/2 that is told what to do with each request.
type framed struct {
	addr string

	mu    sync.Mutex
	seen  int
	conns int
}

// serveFramed opens one. answer gets a request's number, from 0, and its stream.
func serveFramed(t *testing.T, answer func(f *http2.Framer, n int, stream uint32) (on bool)) *framed {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &framed{addr: l.Addr().String()}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
			go s.serve(conn, answer)
		}
	}()
	return s
}

func (s *framed) serve(conn net.Conn, answer func(f *http2.Framer, n int, stream uint32) bool) {
	defer func() { _ = conn.Close() }()
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(conn, conn)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		h := frame.Header()
		if _, settings := frame.(*http2.SettingsFrame); settings && !h.Flags.Has(http2.FlagSettingsAck) {
			_ = f.WriteSettingsAck()
		}
		if (h.Type != http2.FrameHeaders && h.Type != http2.FrameData) || !h.Flags.Has(http2.FlagDataEndStream) {
			continue
		}
		s.mu.Lock()
		n := s.seen
		s.seen++
		s.mu.Unlock()
		if !answer(f, n, h.StreamID) {
			return
		}
	}
}

func answerOK(f *http2.Framer, stream uint32) {
	var block bytes.Buffer
	_ = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
	_ = f.WriteData(stream, true, []byte("ok"))
}

// TestRefusedStreams: what a server of HTTP/2 says that it did not act on is sent
// again, whatever it is; what it may have acted on is not.
func TestRefusedStreams(t *testing.T) {
	t.Parallel()
	reset := func(code http2.ErrCode) func(*http2.Framer, uint32) bool {
		return func(f *http2.Framer, stream uint32) bool { _ = f.WriteRSTStream(stream, code); return true }
	}
	// The first request is answered, the second one meets this.
	for _, test := range []struct {
		name  string
		does  func(f *http2.Framer, stream uint32) bool
		post  int // times that a POST is seen behind the first request
		get   int
		conns int
	}{
		{"refused", reset(http2.ErrCodeRefusedStream), 2, 2, 1},
		{"said to be wrong", reset(http2.ErrCodeProtocol), 1, 1, 1},
		{"given up", reset(http2.ErrCodeInternal), 1, 1, 1},
		{"after the last one", func(f *http2.Framer, stream uint32) bool {
			_ = f.WriteGoAway(stream-2, http2.ErrCodeNo, nil)
			return true
		}, 2, 2, 2},
		{"the last one, and the end", func(f *http2.Framer, stream uint32) bool {
			_ = f.WriteGoAway(stream, http2.ErrCodeNo, nil)
			return false
		}, 1, 2, 2},
		{"without a word", func(*http2.Framer, uint32) bool { return false }, 1, 2, 2},
	} {
		for method, times := range map[string]int{http.MethodPost: test.post, http.MethodGet: test.get} {
			t.Run(test.name+", "+method, func(t *testing.T) {
				t.Parallel()
				s := serveFramed(t, func(f *http2.Framer, n int, stream uint32) bool {
					if n == 1 {
						return test.does(f, stream)
					}
					answerOK(f, stream)
					return true
				})
				p := pool(t, "h2c://"+s.addr)
				get(t, p, "/")
				body := ""
				if method == http.MethodPost {
					body = strings.Repeat("a", 1000)
				}
				_, got, err := do(p, request(t, method, "/", body))
				s.mu.Lock()
				defer s.mu.Unlock()
				if s.seen-1 != times || (err == nil) != (times == 2) {
					t.Errorf("it was seen %d times and ended with %q, %v; want %d times", s.seen-1, got, err, times)
				}
				if times == 2 && s.conns != test.conns {
					t.Errorf("over %d connections, want %d", s.conns, test.conns)
				}
			})
		}
	}
}
