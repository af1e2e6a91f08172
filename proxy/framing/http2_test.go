package framing_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/waitroom/waitroom/proxy/framing"
)

// serveHTTP2 is net/http's HTTP/2 behind screens.
func serveHTTP2(t testing.TB, h http.HandlerFunc) *stage {
	t.Helper()
	server := &http.Server{
		Handler: h, Protocols: &http.Protocols{}, MaxHeaderBytes: most,
		HTTP2: &http.HTTP2Config{MaxReadFrameSize: 16 << 10, MaxConcurrentStreams: 128},
	}
	server.Protocols.SetUnencryptedHTTP2(true)
	return stageOf(t, server, func(conn net.Conn, refused func(string)) net.Conn { return framing.ScreenHTTP2(conn, most, refused) })
}

// clientHTTP2 speaks HTTP/2 frame by frame.
type clientHTTP2 struct {
	t    testing.TB
	conn net.Conn
	*http2.Framer
	block bytes.Buffer
	enc   *hpack.Encoder
}

func (s *stage) dialHTTP2(t testing.TB) *clientHTTP2 {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &clientHTTP2{t: t, conn: conn, Framer: http2.NewFramer(conn, conn)}
	c.AllowIllegalWrites = true
	c.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.enc = hpack.NewEncoder(&c.block)
	c.raw(http2.ClientPreface)
	c.sent(c.WriteSettings())
	return c
}

func (c *clientHTTP2) raw(text string) {
	c.t.Helper()
	_, err := io.WriteString(c.conn, text)
	c.sent(err)
}

func (c *clientHTTP2) sent(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// encode makes a block of fields, name and value in turn.
func (c *clientHTTP2) encode(fields ...string) []byte {
	c.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = c.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}) // a buffer takes everything
	}
	return c.block.Bytes()
}

// ask sends a head; ends says that no body follows.
func (c *clientHTTP2) ask(stream uint32, ends bool, fields ...string) {
	c.t.Helper()
	c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.encode(fields...), EndStream: ends, EndHeaders: true}))
}

// outcome is what comes of a stream: its answer, or why it or the connection was
// given up.
func (c *clientHTTP2) outcome(stream uint32) string {
	c.t.Helper()
	status, body := "", ""
	for {
		f, err := c.ReadFrame()
		if err != nil {
			return status + " cut"
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			if f.StreamID == stream {
				status = f.PseudoValue("status")
				if f.StreamEnded() {
					return status
				}
			}
		case *http2.DataFrame:
			if f.StreamID == stream {
				if body += string(f.Data()); f.StreamEnded() {
					return status + " " + body
				}
			}
		case *http2.RSTStreamFrame:
			if f.StreamID == stream {
				return f.ErrCode.String()
			}
		case *http2.GoAwayFrame:
			if f.ErrCode != http2.ErrCodeNo {
				return "GOAWAY " + f.ErrCode.String()
			}
		}
	}
}

// with is a plain request but for fields that it has otherwise, or besides.
func with(fields ...string) []string {
	all := []string{":method", "GET", ":scheme", "https", ":path", "/", ":authority", "a"}
	var besides []string
	for i := 0; i < len(fields); i += 2 {
		at := -1
		for j := 0; j < len(all); j += 2 {
			if all[j] == fields[i] {
				at = j
			}
		}
		switch {
		case at >= 0 && fields[i+1] == "-":
			all = append(all[:at:at], all[at+2:]...)
		case at >= 0:
			all[at+1] = fields[i+1]
		default:
			besides = append(besides, fields[i], fields[i+1])
		}
	}
	return append(all, besides...)
}

func TestHTTP2_Clean(t *testing.T) {
	t.Parallel()
	s := serveHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q %v %s", r.Method, r.RequestURI, r.Host, body, err, r.Header.Get("Cookie"))
	})
	for name, test := range map[string]struct {
		fields []string
		want   string
	}{
		"plain":              {with(), `200 GET / a "" <nil> `},
		"cookies in crumbs":  {with("cookie", "a=b", "cookie", "c=d"), `200 GET / a "" <nil> a=b; c=d`},
		"Host alone":         {with(":authority", "-", "host", "a:1"), `200 GET / a:1 "" <nil> `},
		"Host too":           {with("host", "A"), `200 GET / a "" <nil> `},
		"a target":           {with(":path", "//x|{}^\"\\?a=[b]%zz"), `200 GET //x|{}^"\?a=[b]%zz a "" <nil> `},
		"an asterisk":        {with(":method", "OPTIONS", ":path", "*"), `200`},
		"TE":                 {with("te", "trailers"), `200 GET / a "" <nil> `},
		"above ASCII":        {with("cookie", "a=\xff"), "200 GET / a \"\" <nil> a=\xff"},
		"a length of zero":   {with("content-length", "0"), `200 GET / a "" <nil> `},
		"many, but not more": {with("x", strings.Repeat("a", 20_000)), `200 GET / a "" <nil> `},
	} {
		c := s.dialHTTP2(t)
		c.ask(1, true, test.fields...)
		if got := c.outcome(1); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		// The tables of both sides still agree.
		c.ask(3, true, test.fields...)
		if got := c.outcome(3); got != test.want {
			t.Errorf("%s, again: got %q, want %q", name, got, test.want)
		}
	}
	if got := s.reasons(); got != "" {
		t.Errorf("refused: %s", got)
	}
}

func TestHTTP2_Refused(t *testing.T) {
	t.Parallel()
	s := serveHTTP2(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/clean" {
			t.Errorf("served: %s %q %v", r.Method, r.RequestURI, r.Header)
		}
	})
	for reason, all := range map[string][][]string{
		"request_line": {with(":method", "G T"), with(":method", "GET\r\nX:"), with(":method", "")},
		"target": {
			with(":path", "a"), with(":path", ""), with(":path", "*"), with(":path", "/a b"), with(":path", "/a\tb"), with(":path", "/a\r\nX: y"), with(":path", "/a#b"), with(":path", "/%zz"),
			with(":path", "https://a/"), with(":path", "/a\x00"), with(":path", "/a HTTP/1.1\r\nHost: b\r\n\r\n"), with(":scheme", "http"), with(":scheme", "HTTPS"), with(":scheme", ""), with(":scheme", "-"), with(":path", "-"),
		},
		"host": {
			with(":authority", "-"), with(":authority", "u@a"), with(":authority", "a/b"), with(":authority", "a b"), with(":authority", "a,b"), with("host", "b"), with("host", "a", "host", "a"), with("host", ""),
			with(":authority", "-", "host", "a b"), with("host", "a:443"), with(":authority", "a\r\nX: y"), with(":authority", "a:b"),
		},
		"field_name":  {with("x y", "a"), with("", "a"), with("x:", "a"), with("x\r\ny", "a"), with("content_length", "3"), with("ho_st\x00", "a")},
		"field_value": {with("x", "a\r\nb"), with("x", "a\x00"), with("x", " a"), with("x", "a\t"), with("x", "a\x7f"), with("cookie", "a\n")},
		"length":      {with("content-length", "3"), with("content-length", "0", "content-length", "0"), with("content-length", "+0"), with("content-length", "0,0"), with("content-length", ""), with("content-length", strings.Repeat("0", 19))},
		"connection": {
			with("connection", "close"), with("keep-alive", "1"), with("proxy-connection", "close"), with("transfer-encoding", "chunked"), with("transfer_encoding", "chunked"), with("upgrade", "h2c"), with("te", "gzip"), with("te", "trailers, gzip"), with("te", ""),
		},
	} {
		for _, fields := range all {
			before := s.reasons()
			c := s.dialHTTP2(t)
			c.ask(1, true, fields...)
			if got := c.outcome(1); got != "PROTOCOL_ERROR" {
				t.Errorf("%s: %.200q is answered with %s", reason, fields, got)
			}
			if got := strings.TrimSpace(strings.TrimPrefix(s.reasons(), before)); got != reason {
				t.Errorf("%s: %.200q is refused with %q", reason, fields, got)
			}
			// The connection lives on, and the tables of both sides still agree.
			c.ask(3, true, with(":path", "/clean", "x", "y")...)
			if got := c.outcome(3); got != "200" {
				t.Errorf("%s: behind %.200q a clean request is answered with %s", reason, fields, got)
			}
		}
	}
}

// TestHTTP2_OfTheServer: what the server refuses by itself it still does.
func TestHTTP2_OfTheServer(t *testing.T) {
	t.Parallel()
	s := serveHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	for name, test := range map[string]struct {
		send func(c *clientHTTP2)
		want string
	}{
		"upper case":       {func(c *clientHTTP2) { c.ask(1, true, with("X-A", "b")...) }, "PROTOCOL_ERROR"},
		"no such pseudo":   {func(c *clientHTTP2) { c.ask(1, true, with(":x", "b")...) }, "PROTOCOL_ERROR"},
		"pseudo at last":   {func(c *clientHTTP2) { c.ask(1, true, append(with("a", "b"), ":path", "/")...) }, "PROTOCOL_ERROR"},
		"a path twice":     {func(c *clientHTTP2) { c.ask(1, true, append([]string{":path", "/"}, with()...)...) }, "PROTOCOL_ERROR"},
		"no such protocol": {func(c *clientHTTP2) { c.ask(1, true, with(":method", "CONNECT", ":protocol", "websocket")...) }, "PROTOCOL_ERROR"},
		"too large":        {func(c *clientHTTP2) { c.large(strings.Repeat("~", 20_000), strings.Repeat("!", 20_000)) }, "431 <h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>"},
		"far too large":    {func(c *clientHTTP2) { c.large(strings.Repeat("~", 200_000)) }, "431 <h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>"},
		"far too many":     {func(c *clientHTTP2) { c.large(slices.Repeat([]string{strings.Repeat("~", 4_000)}, 50)...) }, "431 <h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>"},
		"many settings": {func(c *clientHTTP2) {
			c.sent(c.WriteSettings(settings(33)...))
		}, "GOAWAY PROTOCOL_ERROR"},
		"all settings": {func(c *clientHTTP2) {
			c.sent(c.WriteSettings(settings(32)...))
			c.ask(1, true, with()...)
		}, "200"},
		"a bad index": {func(c *clientHTTP2) {
			c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0x80, 0x01}, EndHeaders: true}))
		}, "GOAWAY COMPRESSION_ERROR"},
		"a lone one": {func(c *clientHTTP2) { c.sent(c.WriteContinuation(1, true, c.encode(with()...))) }, "GOAWAY PROTOCOL_ERROR"},
		"a large frame": {func(c *clientHTTP2) {
			c.sent(c.WriteRawFrame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 1, make([]byte, 17_000)))
		}, "GOAWAY FRAME_SIZE_ERROR"},
		"interleaved": {func(c *clientHTTP2) {
			c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.encode(with()...)}))
			c.sent(c.WritePing(false, [8]byte{}))
		}, "GOAWAY PROTOCOL_ERROR"},
		"longer than it says": {func(c *clientHTTP2) {
			c.ask(1, false, with(":method", "POST", "content-length", "3")...)
			c.sent(c.WriteData(1, true, []byte("abcd")))
		}, "PROTOCOL_ERROR"},
		"shorter than it says": {func(c *clientHTTP2) {
			c.ask(1, false, with(":method", "POST", "content-length", "3")...)
			c.sent(c.WriteData(1, true, []byte("ab")))
		}, "400"},
		"a pseudo-field in a trailer": {func(c *clientHTTP2) {
			c.ask(1, false, with(":method", "POST")...)
			c.ask(1, true, ":path", "/x")
		}, "PROTOCOL_ERROR"},
		"a length in a trailer": {func(c *clientHTTP2) {
			c.ask(1, false, with(":method", "POST")...)
			c.ask(1, true, "content-length", "3")
		}, "PROTOCOL_ERROR"},
		"another trailer": {func(c *clientHTTP2) {
			c.ask(1, false, with(":method", "POST")...)
			c.ask(1, true, "server-timing", "3")
		}, "200"},
		"in pieces": {func(c *clientHTTP2) {
			block := c.encode(with("x", "y")...)
			c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:3], EndStream: true, PadLength: 5, Priority: http2.PriorityParam{Weight: 3}}))
			c.sent(c.WriteContinuation(1, false, block[3:4]))
			c.sent(c.WriteContinuation(1, true, block[4:]))
		}, "200"},
		"refused in pieces": {func(c *clientHTTP2) {
			block := c.encode(with("upgrade", "h2c")...)
			c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:3], EndStream: true, PadLength: 5, Priority: http2.PriorityParam{Weight: 3}}))
			c.sent(c.WriteContinuation(1, false, block[3:4]))
			c.sent(c.WriteContinuation(1, true, block[4:]))
		}, "PROTOCOL_ERROR"},
		"settings twice": {func(c *clientHTTP2) {
			c.sent(c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}, http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 9}))
			c.ask(1, true, with()...)
		}, "200"},
		"a bad setting, twice": {func(c *clientHTTP2) {
			c.sent(c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 9}))
		}, "GOAWAY FLOW_CONTROL_ERROR"},
	} {
		c := s.dialHTTP2(t)
		test.send(c)
		if got := c.outcome(1); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// settings are so many that nobody knows.
func settings(n int) (all []http2.Setting) {
	for i := range n {
		all = append(all, http2.Setting{ID: http2.SettingID(0x1000 + i), Val: 1}) //nolint:gosec // there are few
	}
	return all
}

// TestHTTP2_Alone: a request that is refused ends its stream and no other one, also
// where a body and a trailer follow: what the body took of the connection's window
// comes back.
func TestHTTP2_Alone(t *testing.T) {
	t.Parallel()
	post := func(fields ...string) []string { return with(append([]string{":method", "POST"}, fields...)...) }
	for name, fields := range map[string][]string{
		"a blank behind a value":  post("x", "a "),
		"TE":                      post("te", "gzip"),
		"a line end in a value":   post("x", "a\r\nb"),
		"upper case":              post("X-A", "b"),
		"no such pseudo-field":    post(":x", "b"),
		"a path twice":            append([]string{":path", "/"}, post()...),
		"a path at last":          append(post("a", "b"), ":path", "/"),
		"a path with a blank":     post(":path", "/a b"),
		"a length with a sign":    post("content-length", "+5"),
		"two hosts":               post("host", "b"),
		"of one connection alone": post("connection", "close"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow := make(chan struct{})
			s := serveHTTP2(t, func(_ http.ResponseWriter, r *http.Request) {
				if r.RequestURI == "/slow" {
					<-slow
				} else if r.RequestURI != "/clean" {
					t.Errorf("served: %s %q %v", r.Method, r.RequestURI, r.Header)
				}
			})
			c := s.dialHTTP2(t)
			c.ask(1, true, with(":path", "/slow")...)
			c.ask(3, false, fields...)
			if got := c.outcome(3); got != "PROTOCOL_ERROR" {
				t.Errorf("the refused one: got %s", got)
			}
			for range 128 { // twice what the server lets a connection have under way
				c.sent(c.WriteData(3, false, make([]byte, 16<<10)))
			}
			c.ask(3, true, "server-timing", "1")
			c.sent(errors.Join(c.WriteWindowUpdate(3, 1), c.WriteRSTStream(3, http2.ErrCodeCancel)))
			c.ask(5, true, with(":path", "/clean")...)
			if got := c.outcome(5); got != "200" {
				t.Errorf("the next one: got %s", got)
			}
			close(slow)
			c.ask(7, true, with(":path", "/clean")...)
			if got := c.outcome(1); got != "200" {
				t.Errorf("the one before: got %s", got)
			}
			if got := strings.Fields(s.reasons()); len(got) != 1 {
				t.Errorf("refused: %v, want one reason", got)
			}
		})
	}
}

// TestHTTP2_Again: what comes once more on a stream that was refused is no request.
func TestHTTP2_Again(t *testing.T) {
	t.Parallel()
	s := serveHTTP2(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("served: %s %q %s", r.Method, r.RequestURI, r.Host)
	})
	for _, first := range [][]string{with("upgrade", "h2c"), with("X-A", "b"), with(":x", "y"), {":method", "GET"}} {
		for _, second := range [][]string{with(":path", "/x HTTP/1.1"), with(":authority", "u@a"), with("host", "b"), with("content_length", "3"), with("te", "gzip")} {
			c := s.dialHTTP2(t)
			c.ask(1, true, first...)
			if got := c.outcome(1); got != "PROTOCOL_ERROR" {
				t.Errorf("%q: got %s", first, got)
			}
			c.ask(1, true, second...)
			if got := c.outcome(1); got != "PROTOCOL_ERROR" {
				t.Errorf("%q after %q: got %s", second, first, got)
			}
		}
	}
}

// large sends a head with values, in as many frames as it needs.
func (c *clientHTTP2) large(values ...string) {
	c.t.Helper()
	fields := with()
	for _, v := range values {
		fields = append(fields, "x", v)
	}
	block := c.encode(fields...)
	const most = 16 << 10
	c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:min(len(block), most)], EndStream: true, EndHeaders: len(block) <= most}))
	for rest := block[min(len(block), most):]; len(rest) > 0; {
		piece := rest[:min(len(rest), most)]
		rest = rest[len(piece):]
		if err := c.WriteContinuation(1, len(rest) == 0, piece); err != nil {
			return // the server has had enough
		}
	}
}

// TestHTTP2_Floods: who sends many frames that do nothing is sent away.
func TestHTTP2_Floods(t *testing.T) {
	t.Parallel()
	s := serveHTTP2(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	post := func(c *clientHTTP2) { c.ask(1, false, with(":method", "POST")...) }
	for name, flood := range map[string]struct {
		begin func(c *clientHTTP2)
		send  func(c *clientHTTP2, i uint32) error
	}{
		"PING":          {nil, func(c *clientHTTP2, _ uint32) error { return c.WritePing(false, [8]byte{}) }},
		"SETTINGS":      {nil, func(c *clientHTTP2, _ uint32) error { return c.WriteSettings() }},
		"PRIORITY":      {nil, func(c *clientHTTP2, i uint32) error { return c.WritePriority(2*i+1, http2.PriorityParam{}) }},
		"WINDOW_UPDATE": {nil, func(c *clientHTTP2, _ uint32) error { return c.WriteWindowUpdate(0, 1) }},
		"unknown":       {nil, func(c *clientHTTP2, _ uint32) error { return c.WriteRawFrame(0x42, 0, 0, nil) }},
		"empty DATA":    {post, func(c *clientHTTP2, _ uint32) error { return c.WriteData(1, false, nil) }},
		"padded DATA":   {post, func(c *clientHTTP2, _ uint32) error { return c.WriteDataPadded(1, false, nil, []byte{0, 0}) }},
		"CONTINUATION": {func(c *clientHTTP2) {
			c.sent(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.encode(with()...)}))
		}, func(c *clientHTTP2, _ uint32) error { return c.WriteContinuation(1, false, nil) }},
		"rapid reset": {nil, func(c *clientHTTP2, i uint32) error {
			param := http2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: c.encode(with()...), EndStream: true, EndHeaders: true}
			return errors.Join(c.WriteHeaders(param), c.WriteRSTStream(2*i+1, http2.ErrCodeCancel))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.dialHTTP2(t)
			if flood.begin != nil {
				flood.begin(c)
			}
			ended := make(chan error, 1)
			go func() { // as long as it is answered, so that its answers do not pile up
				_, err := io.Copy(io.Discard, c.conn)
				ended <- err
			}()
			n := uint32(0)
			for n < 1_000_000 && flood.send(c, n) == nil {
				n++
			}
			err := <-ended
			if e, late := errors.AsType[net.Error](err); late && e.Timeout() || n == 1_000_000 {
				t.Errorf("after %d frames the connection is still there, %v", n, err)
			}
		})
	}
	t.Cleanup(func() {
		if got := s.reasons(); strings.Count(got, "flood") != 9 {
			t.Errorf("refused: %s", got)
		}
	})
}

// TestHTTP2_Download: a client that reads much says often that there is room.
func TestHTTP2_Download(t *testing.T) {
	t.Parallel()
	const size, step = 32 << 20, 4 << 10 // some clients say so at each step
	s := serveHTTP2(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(w, zeros{}, size) })
	c := s.dialHTTP2(t)
	c.ask(1, true, with()...)
	for got, said := 0, 0; got < size; {
		f, err := c.ReadFrame()
		if err != nil {
			t.Fatalf("after %d bytes: %v", got, err)
		}
		if f, ok := f.(*http2.DataFrame); ok {
			got += len(f.Data())
		}
		for ; said+step <= got; said += step {
			c.sent(errors.Join(c.WriteWindowUpdate(0, step), c.WriteWindowUpdate(1, step)))
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
