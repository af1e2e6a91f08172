package origin_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/origin"
)

// raw is a server that answers byte for byte and remembers what it was sent.
type raw struct {
	addr string

	mu       sync.Mutex
	requests []string // method and target, in order
	bodies   []string
	conns    int
	closed   int
}

// serveRaw opens one. answer is called for each request with its number on its
// connection and in all, from 0, and gives what is written; with false the
// connection is closed behind it.
func serveRaw(t *testing.T, answer func(conn, all int) (string, bool)) *raw {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &raw{addr: l.Addr().String()}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
			t.Cleanup(func() { _ = conn.Close() })
			go s.serve(conn, answer)
		}
	})
	return s
}

func (s *raw) serve(conn net.Conn, answer func(conn, all int) (string, bool)) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed++
	}()
	in := bufio.NewReader(conn)
	for i := 0; ; i++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.RequestURI)
		s.bodies = append(s.bodies, string(body))
		all := len(s.requests) - 1
		s.mu.Unlock()
		text, on := answer(i, all)
		if _, err := io.WriteString(conn, text); err != nil || !on {
			return
		}
	}
}

// seen is what the server was asked, in order, and over how many connections.
func (s *raw) seen() ([]string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...), s.conns
}

const (
	ok   = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	bare = "HTTP/1.1 204 No Content\r\n\r\n"
)

// pool makes one of addresses.
func pool(t *testing.T, addresses ...string) *origin.Pool {
	t.Helper()
	return poolOf(t, configs.Origin{Timeout: 10 * time.Second}, addresses...)
}

func poolOf(t *testing.T, section configs.Origin, addresses ...string) *origin.Pool {
	t.Helper()
	for _, a := range addresses {
		if !strings.Contains(a, ":/") {
			a = "http://" + a
		}
		u, err := url.Parse(a)
		if err != nil {
			t.Fatal(err)
		}
		section.URLs = append(section.URLs, u)
	}
	p, err := origin.New(section, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// stream hides what a body is, as a shopper's is: it can be read once.
type stream struct{ io.Reader }

func (stream) Close() error { return nil }

func request(t *testing.T, method, path, body string, fields ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://shop.example.com"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Body, req.ContentLength = stream{strings.NewReader(body)}, int64(len(body))
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	return req
}

// do sends a request and reads the answer to its end.
func do(p http.RoundTripper, req *http.Request) (*http.Response, string, error) {
	resp, err := p.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func get(t *testing.T, p http.RoundTripper, path string) string {
	t.Helper()
	_, body, err := do(p, request(t, http.MethodGet, path, ""))
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return body
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: did not come", what)
		case <-tick.C:
		}
	}
}
