package framing_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/framing"
)

// stage is net/http behind screens.
type stage struct {
	addr    string
	mu      sync.Mutex
	refused []string
	server  *http.Server
}

func serve(t testing.TB, h http.HandlerFunc) *stage {
	t.Helper()
	return serveWithin(t, time.Minute, h)
}

// serveWithin is serve with a time for headers.
func serveWithin(t testing.TB, headerWait time.Duration, h http.HandlerFunc) *stage {
	t.Helper()
	server := &http.Server{Handler: h, ReadHeaderTimeout: headerWait, IdleTimeout: time.Minute}
	return stageOf(t, server, func(conn net.Conn, refused func(string)) net.Conn { return framing.ScreenHTTP1(conn, most, refused) })
}

// stageOf lets a server serve what a screen is put before.
func stageOf(t testing.TB, server *http.Server, screen func(net.Conn, func(string)) net.Conn) *stage {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server.ErrorLog = log.New(io.Discard, "", 0)
	s := &stage{addr: l.Addr().String(), server: server}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(screened{l, func(conn net.Conn) net.Conn { return screen(&gentle{TCPConn: conn.(*net.TCPConn)}, s.note) }})
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return s
}

// screened is a listener of what a screen is put before.
type screened struct {
	net.Listener
	screen func(net.Conn) net.Conn
}

func (l screened) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.screen(conn), nil
}

// gentle closes so that its client loses nothing to a reset.
type gentle struct {
	*net.TCPConn
	once sync.Once
}

func (g *gentle) Close() error {
	g.once.Do(func() {
		_ = g.CloseWrite()
		_ = g.SetDeadline(time.Now().Add(time.Second))
		go func() {
			_, _ = io.Copy(io.Discard, g.TCPConn)
			_ = g.TCPConn.Close()
		}()
	})
	return nil
}

func (s *stage) note(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = append(s.refused, reason)
}

func (s *stage) reasons() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.refused, " ")
}

func (s *stage) dial(t testing.TB) *client {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return &client{t, conn, bufio.NewReader(conn)}
}

type client struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.Conn, text); err != nil {
		c.t.Fatal(err)
	}
}

// answer reads one, as status and body.
func (c *client) answer() string {
	c.t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatalf("read answer: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("read answer: %v", err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, body)
}

// ends checks that the connection ends here, and in order.
func (c *client) ends() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.in); err != nil || len(rest) > 0 {
		c.t.Errorf("at the end: %q, %v", rest, err)
	}
}

// echo answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "body", http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%s %s %s %q", r.Method, r.RequestURI, r.Host, body)
}

const refusal = "GET /bad HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"

func TestHTTP1(t *testing.T) {
	t.Parallel()
	s := serve(t, echo)
	for name, test := range map[string]struct {
		text string
		want []string // answers
		ends bool
	}{
		"one":             {get, []string{`200 GET / a ""`}, false},
		"pipelined":       {get + post("Content-Length: 3", "abc") + get, []string{`200 GET / a ""`, `200 POST / a "abc"`, `200 GET / a ""`}, false},
		"chunks":          {post("Transfer-Encoding: chunked", "3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nX: y\r\n\r\n") + get, []string{`200 POST / a "abcd"`, `200 GET / a ""`}, false},
		"empty lines":     {"\r\n" + get + "\r\n" + get, []string{`200 GET / a ""`, `200 GET / a ""`}, false},
		"refused":         {refusal, []string{"400 one Host is needed, a name or an address\n"}, true},
		"refused, second": {get + refusal + get, []string{`200 GET / a ""`, "400 one Host is needed, a name or an address\n"}, true},
		"refused, behind a post": {post("Content-Length: 3", "abc") + "\n" + get,
			[]string{`200 POST / a "abc"`, "400 the request line is method, target and version, with one blank between them\n"}, true},
		"too large":      {get + "GET / HTTP/1.1\r\nX: " + strings.Repeat("a", 900_000) + "\r\n\r\n", []string{`200 GET / a ""`, "431 the header fields are too large\n"}, true},
		"version":        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"505 the version is HTTP/1.1 or HTTP/1.0\n"}, true},
		"unknown coding": {post("Transfer-Encoding: gzip", "abc"), []string{"501 Transfer-Encoding is chunked, nothing else\n"}, true},
		"bad chunk":      {post("Transfer-Encoding: chunked", "3\r\nabc\r\n0x1\r\nd\r\n0\r\n\r\n") + get, []string{"400 body\n"}, true},
		"bad chunk end":  {post("Transfer-Encoding: chunked", "3\r\nabcd\r\n0\r\n\r\n") + get, []string{"400 body\n"}, true},
		"bad trailer":    {post("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n") + get, []string{"400 body\n"}, true},
		"after an upgrade that was not taken": {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n" + "\x81\x00" + get,
			[]string{`200 GET / a ""`, "400 the request line is method, target and version, with one blank between them\n"}, true},
	} {
		for _, piece := range []int{3, 1 << 20} {
			if piece == 3 && len(test.text) > 1000 {
				continue // too many pieces
			}
			t.Run(fmt.Sprintf("%s, %d", name, piece), func(t *testing.T) {
				t.Parallel()
				c := s.dial(t)
				go func() {
					for text := test.text; text != ""; {
						n := min(piece, len(text))
						if _, err := io.WriteString(c.Conn, text[:n]); err != nil {
							return // it was refused before all of it was sent
						}
						text = text[n:]
					}
				}()
				for i, want := range test.want {
					if got := c.answer(); got != want {
						t.Fatalf("answer %d: got %q, want %q", i, got, want)
					}
				}
				if test.ends {
					c.ends()
				}
			})
		}
	}
}

// TestHTTP1_InOrder: a bad message behind one that is still worked on is answered
// after it.
func TestHTTP1_InOrder(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-end
		if err := r.Context().Err(); err != nil {
			t.Errorf("the request under way was given up: %v", err)
		}
		echo(w, r)
	})
	c := s.dial(t)
	c.send(get)
	<-begun
	c.send(refusal)
	if got := s.reasons(); got != "" {
		t.Errorf("refused before its turn: %s", got)
	}
	close(end)
	if got, want := c.answer(), `200 GET / a ""`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := c.answer(), "400 one Host is needed, a name or an address\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.ends()
	if got := s.reasons(); got != "host" {
		t.Errorf("refused: %q, want host", got)
	}
}

// TestHTTP1_Leaves: a handler whose client leaves is told so.
func TestHTTP1_Leaves(t *testing.T) {
	t.Parallel()
	begun, left := make(chan struct{}), make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(left)
	})
	c := s.dial(t)
	c.send(get)
	<-begun
	_ = c.Close()
	<-left
}

// TestHTTP1_Release: what was sent ahead of the answer to an upgrade arrives, also
// where it is no HTTP.
func TestHTTP1_Release(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"", "\x81\x05hello", "\r\n\r\n", "G", "GET / HTTP/1.1\r\n\r\n", get, "\x00", "\r", strings.Repeat("abc\n", 5000)} {
		begun, hijack := make(chan struct{}), make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-hijack
			conn, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			conn.(*framing.HTTP1).Release()
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
			_, _ = io.Copy(conn, rw.Reader)
		})
		c := s.dial(t)
		c.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n" + sent)
		<-begun
		close(hijack)
		if resp, err := http.ReadResponse(c.in, nil); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%.20q: %v", sent, err)
		}
		c.send("and more")
		_ = c.Conn.(*net.TCPConn).CloseWrite()
		if got, err := io.ReadAll(c.in); string(got) != sent+"and more" || err != nil {
			t.Errorf("%.20q: %d bytes came back, %v", sent, len(got), err)
		}
	}
}

// TestHTTP1_HeaderTimeout: the time for a header begins with its first bytes, also
// on a connection that has served before.
func TestHTTP1_HeaderTimeout(t *testing.T) {
	t.Parallel()
	s := serveWithin(t, 200*time.Millisecond, echo)
	c := s.dial(t)
	c.send(get)
	c.answer()
	c.send("GET / HT")
	begun := time.Now()
	_, _ = io.ReadAll(c.in)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a header that does not come on ends after %v", took)
	}
}

// TestHTTP1_Continue: who waits to be told to send is told, and what is sent then
// is the body.
func TestHTTP1_Continue(t *testing.T) {
	t.Parallel()
	s := serve(t, echo)
	c := s.dial(t)
	c.send(post("Expect: 100-continue", "Content-Length: 3", ""))
	if resp, err := http.ReadResponse(c.in, nil); err != nil || resp.StatusCode != http.StatusContinue {
		t.Fatalf("got %v, %v", resp, err)
	}
	c.send("abc" + get)
	for _, want := range []string{`200 POST / a "abc"`, `200 GET / a ""`} {
		if got := c.answer(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// looped is a connection on which one message comes for ever.
type looped struct {
	net.Conn
	text []byte
	at   int
}

func (l *looped) Read(p []byte) (int, error) {
	n := copy(p, l.text[l.at:])
	l.at = (l.at + n) % len(l.text)
	return n, nil
}

func BenchmarkHTTP1(b *testing.B) {
	c := framing.ScreenHTTP1(&looped{text: browser}, most, func(string) {})
	p := make([]byte, 4<<10)
	b.SetBytes(int64(len(browser)))
	b.ReportAllocs()
	for b.Loop() {
		for got := 0; got < len(browser); {
			n, err := c.Read(p)
			if err != nil {
				b.Fatal(err)
			}
			got += n
		}
	}
}

func BenchmarkHTTP1_Upload(b *testing.B) {
	c := framing.ScreenHTTP1(&looped{text: []byte(post("Content-Length: 1000000", strings.Repeat("a", 1_000_000)))}, most, func(string) {})
	p := make([]byte, 32<<10)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		if _, err := c.Read(p); err != nil {
			b.Fatal(err)
		}
	}
}
