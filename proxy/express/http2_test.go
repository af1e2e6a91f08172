package express_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/waitroom/waitroom/proxy/express"
)

// client is one of HTTP/2 that says and hears frames.
type client struct {
	t testing.TB
	*tls.Conn
	*http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

func (s *stage) client(settings ...http2.Setting) *client {
	s.t.Helper()
	c := &client{t: s.t, Conn: s.dial("h2")}
	c.Framer = http2.NewFramer(c.Conn, c.Conn)
	c.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.encoder = hpack.NewEncoder(&c.block)
	_, _ = io.WriteString(c.Conn, http2.ClientPreface)
	c.must(c.WriteSettings(settings...))
	return c
}

func (c *client) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// fields encodes a head as browsers do, with a table.
func (c *client) fields(method, path string, more ...string) []byte {
	c.block.Reset()
	all := append([]string{":method", method, ":scheme", "https", ":authority", "shop.example.com", ":path", path, "x-one", "1", "cookie", "a=b"}, more...)
	for i := 0; i < len(all); i += 2 {
		_ = c.encoder.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1]})
	}
	return c.block.Bytes()
}

func (c *client) ask(stream uint32, path string, more ...string) {
	c.t.Helper()
	c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.fields("GET", path, more...), EndStream: true, EndHeaders: true}))
}

// answer reads until a stream has ended, and says what came on it.
func (c *client) answer(stream uint32) string {
	c.t.Helper()
	var said strings.Builder
	n := 0
	for {
		f, err := c.ReadFrame()
		if err != nil {
			return fmt.Sprint(said.String(), " ", n, " ", err)
		}
		if g, ok := f.(*http2.GoAwayFrame); ok {
			return fmt.Sprint(said.String(), "goaway ", g.LastStreamID, " ", g.ErrCode)
		}
		if s, ok := f.(*http2.SettingsFrame); ok && !s.IsAck() {
			c.must(c.WriteSettingsAck())
		}
		if f.Header().StreamID != stream {
			continue
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			for _, h := range f.Fields {
				if h.Name == "x-lane" {
					said.WriteString(h.Value + " ")
				}
			}
			said.WriteString(f.PseudoValue("status"))
			if f.StreamEnded() {
				return said.String()
			}
		case *http2.DataFrame:
			n += len(f.Data())
			if len(f.Data()) < 100 {
				if n == len(f.Data()) {
					said.WriteString(" ")
				}
				said.Write(f.Data())
			}
			if f.StreamEnded() {
				if n >= 100 {
					return fmt.Sprintf("%s, %d bytes", said.String(), n)
				}
				return said.String()
			}
		case *http2.RSTStreamFrame:
			return said.String() + "reset " + f.ErrCode.String()
		}
	}
}

func (c *client) expect(stream uint32, want string) {
	c.t.Helper()
	if got := c.answer(stream); got != want {
		c.t.Errorf("stream %d: got %q, want %q", stream, got, want)
	}
}

const (
	inline = "express 200 xxxxx"
	passed = "200 GET shop.example.com /other 1 [a=b]"
)

func TestHTTP2(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*stage, *client){
		"one": func(s *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			if s.served.Load() != 0 {
				s.t.Error("a server has the connection")
			}
		},
		"many": func(s *stage, c *client) {
			for id := uint32(1); id < 60; id += 2 {
				c.ask(id, "/ready/5")
			}
			for id := uint32(1); id < 60; id += 2 {
				c.expect(id, inline)
			}
		},
		"goes on": func(_ *stage, c *client) {
			c.ask(1, "/other")
			c.expect(1, passed)
		},
		"in turn": func(s *stage, c *client) {
			for id := uint32(1); id < 60; id += 4 {
				c.ask(id, "/ready/5")
				c.expect(id, inline)
				c.ask(id+2, "/other", "x-many", fmt.Sprint(id))
				c.expect(id+2, passed)
			}
			if got := s.served.Load(); got != 1 {
				s.t.Errorf("servers got %d connections, want 1", got)
			}
		},
		"server first": func(_ *stage, c *client) {
			c.ask(1, "/other")
			c.expect(1, passed)
			c.ask(3, "/other", "x-more", "1")
			c.expect(3, passed)
			c.ask(5, "/ready/5")
			c.expect(5, inline)
			c.ask(7, "/other", "x-more", "1")
			c.expect(7, passed)
		},
		"head": func(_ *stage, c *client) {
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.fields("HEAD", "/ready/5"), EndStream: true, EndHeaders: true}))
			c.expect(1, "express 200")
		},
		"nothing":        func(_ *stage, c *client) { c.ask(1, "/ready/0"); c.expect(1, "express 200") },
		"several frames": func(_ *stage, c *client) { c.ask(1, "/ready/50000"); c.expect(1, "express 200, 50000 bytes") },
		"too large goes on": func(s *stage, c *client) {
			c.ask(1, "/ready/70000")
			c.expect(1, "200 GET shop.example.com /ready/70000 1 [a=b]")
			if s.desk.back.Load() != 1 {
				s.t.Error("the desk does not know")
			}
		},
		"window used up": func(s *stage, c *client) {
			c.ask(1, "/ready/65535")
			c.expect(1, "express 200, 65535 bytes")
			c.ask(3, "/ready/5") // goes on, and waits
			c.must(c.WriteWindowUpdate(0, 10))
			c.must(c.WriteWindowUpdate(0, 100))
			c.expect(3, "200 GET shop.example.com /ready/5 1 [a=b]")
		},
		"split": func(_ *stage, c *client) {
			b := c.fields("GET", "/ready/5")
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:3], EndStream: true}))
			c.must(c.WriteContinuation(1, false, b[3:7]))
			c.must(c.WriteContinuation(1, true, b[7:]))
			c.expect(1, inline)
			b = c.fields("GET", "/other", "x-long", strings.Repeat("l", 20000))
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: b[:3], EndStream: true}))
			c.must(c.WriteContinuation(3, false, b[3:10000]))
			c.must(c.WriteContinuation(3, true, b[10000:]))
			c.expect(3, passed)
		},
		"padded, of a priority": func(_ *stage, c *client) {
			for id := uint32(1); id < 8; id += 4 {
				for i, path := range []string{"/ready/5", "/other"} {
					c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: id + 2*uint32(i), BlockFragment: c.fields("GET", path), EndStream: true, EndHeaders: true,
						PadLength: 9, Priority: http2.PriorityParam{StreamDep: 0, Weight: 7}}))
				}
				c.expect(id, inline)
				c.expect(id+2, passed)
			}
		},
		"depends on itself": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: c.fields("GET", "/ready/5"), EndStream: true, EndHeaders: true, Priority: http2.PriorityParam{StreamDep: 3, Weight: 7}}))
			c.expect(3, "reset PROTOCOL_ERROR")
		},
		"reset behind": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.must(c.WriteRSTStream(1, http2.ErrCodeCancel))
			c.must(c.WriteWindowUpdate(1, 100))
			c.must(c.WritePriority(1, http2.PriorityParam{Weight: 3}))
			c.ask(3, "/other")
			c.must(c.WriteRSTStream(1, http2.ErrCodeCancel))
			c.expect(3, passed)
			c.ask(5, "/ready/5")
			c.must(c.WriteRSTStream(5, http2.ErrCodeCancel))
			c.must(c.WriteWindowUpdate(5, 100))
			c.ask(7, "/other")
			c.expect(7, passed)
		},
		"data behind": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			c.must(c.WriteData(1, true, []byte("x")))
			c.expect(3, "goaway 1 STREAM_CLOSED")
		},
		"head behind": func(_ *stage, c *client) {
			c.ask(1, "/other")
			c.expect(1, passed)
			c.ask(3, "/ready/5")
			c.expect(3, inline)
			c.ask(3, "/ready/5")
			c.expect(5, "goaway 3 STREAM_CLOSED")
		},
		"stream of before": func(_ *stage, c *client) {
			c.ask(5, "/ready/5")
			c.expect(5, inline)
			c.ask(3, "/ready/5")
			c.expect(7, "goaway 5 STREAM_CLOSED")
		},
		"idle stream": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			c.must(c.WriteRSTStream(9, http2.ErrCodeCancel))
			c.expect(3, "goaway 9 PROTOCOL_ERROR")
		},
		"broken block": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte{0x80}, EndStream: true, EndHeaders: true}))
			c.expect(3, "goaway 3 COMPRESSION_ERROR")
		},
		"refused": func(_ *stage, c *client) {
			for id := uint32(1); id < 16; id += 4 {
				c.ask(id, "/ready/5")
				c.expect(id, inline)
				c.ask(id+2, "/other", "connection", "close")
				c.expect(id+2, "reset PROTOCOL_ERROR")
			}
			c.ask(21, "/other")
			c.expect(21, passed)
		},
		"refused with a body": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: c.fields("POST", "/echo", "connection", "close"), EndHeaders: true}))
			c.must(c.WriteData(3, true, []byte("body")))
			c.expect(3, "reset PROTOCOL_ERROR")
			c.ask(5, "/other")
			c.expect(5, passed)
		},
		"large head": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			long := strings.Repeat("!l", 8000)
			b := bytes.Clone(c.fields("GET", "/other", "x-a", long, "x-b", long, "x-c", long))
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: b[:16000], EndStream: true}))
			for b = b[16000:]; len(b) > 0; b = b[min(len(b), 16000):] {
				c.must(c.WriteContinuation(3, len(b) <= 16000, b[:min(len(b), 16000)]))
			}
			if got := c.answer(3); !strings.HasPrefix(got, "431") {
				c.t.Errorf("got %q", got)
			}
		},
		"a length without end": func(_ *stage, c *client) {
			b := append(bytes.Clone(c.fields("GET", "/other")), 0, 1, 'x', 0x7f, 0xff, 0xff, 0xff, 0x7f)
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b, EndStream: true, EndHeaders: true}))
			if got := c.answer(1); !strings.HasPrefix(got, "431") {
				c.t.Errorf("got %q", got)
			}
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			if _, err := io.Copy(io.Discard, c.Conn); err != nil {
				c.t.Errorf("got %v, want the end", err)
			}
		},
		"body": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: c.fields("POST", "/echo"), EndHeaders: true}))
			c.ask(5, "/ready/5")
			c.must(c.WriteData(3, false, []byte("bo")))
			c.ask(7, "/ready/5")
			c.expect(7, inline)
			c.must(c.WriteData(3, true, []byte("dy")))
			if got := c.answer(3); got != "" && !strings.HasSuffix(got, "dy") {
				c.t.Errorf("got %q", got)
			}
		},
		"trailer": func(_ *stage, c *client) {
			c.ask(1, "/ready/5")
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: c.fields("POST", "/echo"), EndHeaders: true}))
			c.must(c.WriteData(3, false, []byte("body")))
			c.block.Reset()
			_ = c.encoder.WriteField(hpack.HeaderField{Name: "x-end", Value: "1"})
			c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: c.block.Bytes(), EndHeaders: true, EndStream: true}))
			c.expect(3, "200 body")
		},
		"ping": func(_ *stage, c *client) {
			c.must(c.WritePing(false, [8]byte{1, 2}))
			for {
				f, err := c.ReadFrame()
				c.must(err)
				if p, ok := f.(*http2.PingFrame); ok && p.IsAck() && p.Data == [8]byte{1, 2} {
					return
				}
			}
		},
		"unknown": func(_ *stage, c *client) {
			c.must(c.WriteRawFrame(0x77, 0, 1, []byte("?")))
			c.must(c.WriteRawFrame(0x10, 0, 0, []byte("0000u=1")))
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			c.must(c.WriteRawFrame(0x77, 0, 1, make([]byte, 5000)))
			c.ask(3, "/ready/5")
			c.expect(3, inline)
		},
		"small table": func(_ *stage, c *client) {
			c.must(c.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0}))
			c.ask(1, "/ready/5")
			c.expect(1, "200 GET shop.example.com /ready/5 1 [a=b]")
		},
		"table of the client": func(_ *stage, c *client) {
			c.ask(1, "/other")
			c.expect(1, passed)
			c.encoder.SetMaxDynamicTableSize(100)
			c.ask(3, "/ready/5")
			c.expect(3, inline)
			for id := uint32(5); id < 50; id += 2 {
				c.ask(id, "/other", fmt.Sprint("x-", id), strings.Repeat("v", 300))
				c.expect(id, passed)
			}
		},
		"too much window": func(_ *stage, c *client) {
			c.must(c.WriteWindowUpdate(0, 1<<31-1))
			c.expect(1, "goaway 0 FLOW_CONTROL_ERROR")
		},
		"settings again": func(_ *stage, c *client) {
			for id := uint32(1); id < 20; id += 4 {
				c.must(c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10 + id}, http2.Setting{ID: http2.SettingMaxFrameSize, Val: 20000}))
				c.ask(id, "/ready/5")
				c.expect(id, inline)
				c.ask(id+2, "/ready/40")
				c.must(c.WriteWindowUpdate(id+2, 1000))
				if got := c.answer(id + 2); !strings.HasPrefix(got, "200 GET shop") {
					c.t.Errorf("got %q", got)
				}
			}
		},
		"no settings": func(_ *stage, c *client) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			do(s, s.client())
		})
	}
}

// TestHTTP2Request: the desk sees what was sent.
func TestHTTP2Request(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.client()
	c.ask(1, "/ready/0001", "cookie", "c=d")
	if got := c.answer(1); got != "express 200 x" {
		t.Errorf("got %q", got)
	}
	const want = "GET shop.example.com /ready/0001 true shop.example.com [{x-one 1} {cookie a=b} {cookie c=d}]"
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	if got := s.desk.last; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHTTP2Preface: what is none the server finds as it is.
func TestHTTP2Preface(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no preface": strings.Repeat("GET / HTTP/1.1\r\n", 9), "no settings": http2.ClientPreface + "\x00\x00\x08\x06\x00\x00\x00\x00\x00abcdefgh"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			c := s.dial("h2")
			_, _ = io.WriteString(c, text)
			b, err := io.ReadAll(c)
			if err != nil && len(b) == 0 {
				t.Errorf("got %q, %v", b, err)
			}
		})
	}
}

// TestHTTP2Client: Go's client, many at once, inline and through, in turn and mixed.
func TestHTTP2Client(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: "shop.example.com"},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", s.at)
		}}
	defer tr.CloseIdleConnections()
	var all sync.WaitGroup
	for w := range 16 {
		all.Go(func() {
			for i := range 60 {
				path, want := "/ready/5", 5
				switch (i + w) % 5 {
				case 1:
					path, want = "/body/300000", 300000
				case 2:
					path, want = "/ready/20000", 20000
				case 3:
					path, want = "/other", -1
				}
				req, _ := http.NewRequestWithContext(t.Context(), "GET", "https://shop.example.com"+path, nil)
				req.Header.Set("X-One", fmt.Sprint(i))
				req.Header.Set("Cookie", fmt.Sprintf("a=%d%d", w, i))
				res, err := tr.RoundTrip(req)
				if err != nil {
					t.Errorf("ask %s: %v", path, err)
					return
				}
				b, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if want < 0 {
					if text := fmt.Sprintf("GET shop.example.com /other %d [a=%d%d]", i, w, i); string(b) != text {
						t.Errorf("got %q, want %q", b, text)
					}
				} else if err != nil || len(b) != want && !strings.HasPrefix(string(b), "GET shop.example.com /ready/") { // the server's, where the lane has used much of the window
					t.Errorf("read %s: %d bytes, %v", path, len(b), err)
				}
			}
		})
	}
	all.Wait()
	if got := s.desk.wrote.Load(); got < 300 {
		t.Errorf("the lane answered %d", got)
	}
}

// TestHTTP2Window: the server's bodies wait where the lane has used the window, and come
// whole once there is room, in order.
func TestHTTP2Window(t *testing.T) {
	t.Parallel()
	for _, step := range []uint32{1, 7, 1000, 20000} {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			c := s.client()
			c.ask(1, "/ready/30000")
			c.expect(1, "express 200, 30000 bytes")
			size := 40000 // 65535 - 30000 is less
			if step == 1 {
				size = 35600
			}
			c.ask(3, fmt.Sprint("/body/", size))
			got, head := 0, false
			for got < size {
				f, err := c.ReadFrame()
				c.must(err)
				switch f := f.(type) {
				case *http2.SettingsFrame:
					if !f.IsAck() {
						c.must(c.WriteSettingsAck())
					}
				case *http2.MetaHeadersFrame:
					head = true
				case *http2.DataFrame:
					got += len(f.Data())
					if room := 35535; got > room && step > 0 && got-len(f.Data()) < room && got > room+int(step) {
						t.Fatalf("got %d bytes where there was room for %d", got, room)
					}
					if f.StreamEnded() != (got == size) {
						t.Errorf("the stream ends at %d of %d bytes", got, size)
					}
					for given := 0; got >= 35535 && given < 1; given++ {
						c.must(c.WriteWindowUpdate(0, step))
					}
				}
			}
			if !head {
				t.Error("no head")
			}
			c.must(c.WriteWindowUpdate(0, 70000))
			c.ask(5, "/ready/5")
			c.expect(5, inline)
		})
	}
}

// TestHTTP2Held: while bodies are held, pings are answered, heads come, and a stream that
// the client resets frees its room.
func TestHTTP2Held(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.client(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	c.ask(1, "/ready/60000")
	c.expect(1, "express 200, 60000 bytes")
	c.ask(3, "/body/30000")
	for got := 0; got < 5535; {
		f, err := c.ReadFrame()
		c.must(err)
		if d, ok := f.(*http2.DataFrame); ok {
			got += len(d.Data())
		}
	}
	c.ask(5, "/body/10")
	c.must(c.WritePing(false, [8]byte{3}))
	for pong, head := false, false; !pong || !head; {
		f, err := c.ReadFrame()
		c.must(err)
		switch f := f.(type) {
		case *http2.PingFrame:
			pong = f.IsAck()
		case *http2.MetaHeadersFrame:
			head = f.StreamID == 5
		case *http2.DataFrame:
			t.Fatalf("%d bytes without room", len(f.Data()))
		}
	}
	c.must(c.WriteRSTStream(3, http2.ErrCodeCancel))
	c.must(c.WriteWindowUpdate(0, 10))
	c.expect(5, " yyyyyyyyyy")
	c.must(c.WriteWindowUpdate(0, 1<<20))
	c.ask(7, "/body/500000")
	c.expect(7, "200, 500000 bytes")
}

// TestHTTP2Goodbye: streams go on until the last word; where there is no server, that is
// the lane's.
func TestHTTP2Goodbye(t *testing.T) {
	t.Parallel()
	for _, served := range []bool{false, true} {
		t.Run(fmt.Sprint(served), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			c := s.client()
			lane := (<-s.conns).(*express.HTTP2)
			c.ask(1, "/ready/5")
			c.expect(1, inline)
			if served {
				c.ask(3, "/other")
				c.expect(3, passed)
			}
			lane.Goodbye()
			c.expect(5, "goaway 2147483647 NO_ERROR")
			c.ask(5, "/ready/5")
			c.expect(5, inline)
			lane.Part()
			if served {
				c.ask(7, "/other")
				c.expect(7, passed)
				return
			}
			c.expect(7, "goaway 5 NO_ERROR")
			if _, err := c.ReadFrame(); err == nil {
				t.Error("it goes on")
			}
		})
	}
}

// TestHTTP2Late: who says nothing is let go, politely.
func TestHTTP2Late(t *testing.T) {
	t.Parallel()
	for _, ask := range []string{"", "/ready/5", "/other"} {
		s := newStage(t, func(s *stage) { s.times.Head, s.times.Idle = 300*time.Millisecond, 300*time.Millisecond })
		c := s.client()
		begun, last := time.Now(), 0
		if ask != "" {
			c.ask(1, ask)
			_ = c.answer(1)
			last = 1
		}
		c.expect(3, fmt.Sprint("goaway ", last, " NO_ERROR"))
		if took := time.Since(begun); took < 200*time.Millisecond || took > 5*time.Second {
			t.Errorf("it ended after %v, want 300ms", took)
		}
	}
}

// TestHTTP2Slow: who waits for a server is not idle.
func TestHTTP2Slow(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(s *stage) { s.times.Idle = 600 * time.Millisecond })
	c := s.client()
	c.ask(1, "/slow")
	c.expect(1, "200")
	c.ask(3, "/ready/5")
	c.expect(3, inline)
}

// TestHTTP2Storm: frames that do nothing are bounded, with a server and without.
func TestHTTP2Storm(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/ready/5", "/other"} {
		for kind := range 3 {
			s := newStage(t, nil)
			c := s.client()
			c.ask(1, path)
			_ = c.answer(1)
			ended := make(chan struct{})
			go func() { _, _ = io.Copy(io.Discard, c.Conn); close(ended) }()
			var err error
			for i := 0; i < 5000 && err == nil; i++ {
				switch kind {
				case 0:
					err = c.WritePing(false, [8]byte{})
				case 1:
					err = c.WriteSettings()
				case 2:
					err = c.WriteRSTStream(1, http2.ErrCodeCancel)
				}
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
			}
			if _, ok := s.refused.Load("flood"); !ok {
				t.Errorf("kind %d behind %s was not called a flood", kind, path)
			}
		}
	}
}

// TestHTTP2Settings: the server that comes later says nothing of itself that the client
// has not heard.
func TestHTTP2Settings(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"/ready/5", "/other"} {
		s := newStage(t, nil)
		c := s.client(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
		c.ask(1, first)
		c.ask(3, "/other")
		said, acks := 0, 0
		for over := 0; over < 2; {
			f, err := c.ReadFrame()
			c.must(err)
			switch f := f.(type) {
			case *http2.SettingsFrame:
				if f.IsAck() {
					acks++
				} else if said++; said == 1 {
					c.must(c.WriteSettingsAck())
				}
			case *http2.DataFrame:
				if f.StreamEnded() {
					over++
				}
			}
		}
		if said != 1 || acks != 1 {
			t.Errorf("%s first: settings were said %d times and acknowledged %d times, want once", first, said, acks)
		}
		c.ask(5, "/other")
		c.expect(5, passed)
	}
}

// TestHTTP2Parting: answers are whole though the end of the connection comes amid one, as
// long as the client reads.
func TestHTTP2Parting(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.client(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	lane := (<-s.conns).(*express.HTTP2)
	c.must(c.WriteWindowUpdate(0, 1<<30))
	const size, many = 250_000, 64 // more than lies in sockets
	c.many(many, fmt.Sprint("/ready/", size))
	parted, got := make(chan struct{}), map[uint32]int{}
	for last := uint32(0); last == 0; {
		f, err := c.ReadFrame()
		if err != nil {
			t.Fatalf("%d answers came, %v", len(got), err)
		}
		switch f := f.(type) {
		case *http2.DataFrame:
			if len(got) == 0 {
				go func() { lane.Part(); close(parted) }()
			}
			got[f.StreamID] += len(f.Data())
		case *http2.GoAwayFrame:
			last = f.LastStreamID
			if uint32(len(got))*2-1 != last {
				t.Errorf("%d answers came, and the last one is said to be that of stream %d", len(got), last)
			}
		}
	}
	for stream, n := range got {
		if n != size {
			t.Errorf("stream %d has %d bytes, want %d", stream, n, size)
		}
	}
	<-parted
}

// many asks for the same in many streams in one piece.
func (c *client) many(n uint32, path string) {
	c.t.Helper()
	var all bytes.Buffer
	f := http2.NewFramer(&all, nil)
	for i := range n {
		c.must(f.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: c.fields("GET", path), EndStream: true, EndHeaders: true}))
	}
	_, err := c.Conn.Write(all.Bytes())
	c.must(err)
}

// TestHTTP2Much: answers to requests that came at once are written before there is much of
// them.
func TestHTTP2Much(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.client(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	c.must(c.WriteWindowUpdate(0, 1<<30))
	const many = 60
	c.many(many, "/ready/40000")
	for i := range uint32(many) {
		c.expect(2*i+1, "express 200, 40000 bytes")
	}
	if got := s.stirred.Load(); got < many {
		t.Errorf("%d answers were written in %d pieces, want each by itself", many, got)
	}
}

// TestHTTP2HeldUp: where a client gives no room for the body of one stream, it still gets
// what needs none, however much of the room was used at once.
func TestHTTP2HeldUp(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(s *stage) { s.times.Write = time.Second })
	c := s.client(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	const room, each = 565_535, 56_000
	c.must(c.WriteWindowUpdate(0, room-65_535))
	c.ask(1, "/other")
	c.expect(1, passed)
	for id := uint32(3); id < 23; id += 2 { // some at once, the others by the server
		c.ask(id, fmt.Sprint([]string{"/body/", "/ready/"}[id/2%2], each))
		_ = c.answer(id)
	}
	c.ask(101, "/body/400000")
	for got := 0; got < room-10*each-40; {
		f, err := c.ReadFrame()
		c.must(err)
		if d, ok := f.(*http2.DataFrame); ok {
			got += len(d.Data())
		}
	}
	c.ask(103, "/slow") // longer than a write may take
	c.expect(103, "200")
	c.must(c.WriteWindowUpdate(0, 1<<20))
	c.ask(105, "/other")
	c.expect(105, passed)
}

// TestHTTP2Large: bodies that are too large to be copied, and heads larger than was said,
// are the server's.
func TestHTTP2Large(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.client(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	c.must(c.WriteWindowUpdate(0, 1<<30))
	c.ask(1, "/ready/200000")
	c.expect(1, "express 200, 200000 bytes")
	c.ask(3, "/ready/300000")
	c.expect(3, "200 GET shop.example.com /ready/300000 1 [a=b]")
	b := bytes.Clone(c.fields("GET", "/ready/5", "x-long", strings.Repeat("l", most/2), "x-longer", strings.Repeat("l", most/2)))
	c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 5, BlockFragment: b[:16000], EndStream: true}))
	c.must(c.WriteContinuation(5, false, b[16000:min(len(b), 32000)]))
	c.must(c.WriteContinuation(5, true, b[min(len(b), 32000):]))
	if got := c.answer(5); !strings.HasPrefix(got, "431") {
		t.Errorf("a head of %d bytes: got %q, want 431", len(b), got)
	}
}

func newHpack(to *bytes.Buffer) *hpack.Encoder { return hpack.NewEncoder(to) }
