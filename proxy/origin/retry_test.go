package origin_test

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestKeptConnectionDies: a server closes a kept connection when it has read the
// next request on it. What may have done something is never sent a second time.
func TestKeptConnectionDies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, body string
		fields             []string
		partly             string // of an answer, before the connection is closed
		times              int
	}{
		{"a GET", "GET", "", nil, "", 2},
		{"a HEAD", "HEAD", "", nil, "", 2},
		{"an OPTIONS", "OPTIONS", "", nil, "", 2},
		{"a GET that was half answered", "GET", "", nil, "HTTP/1.1 2", 1},
		{"a GET with a body", "GET", "a", nil, "", 1},
		{"a POST", "POST", "a=b", nil, "", 1},
		{"a POST without a body", "POST", "", nil, "", 1},
		{"a POST with a key", "POST", "", []string{"Idempotency-Key", "k"}, "", 1},
		{"a POST with a key and a body", "POST", "a=b", []string{"X-Idempotency-Key", "k"}, "", 1},
		{"a PUT", "PUT", "a", nil, "", 1},
		{"a DELETE", "DELETE", "", nil, "", 1},
		{"a method of the shop's own", "BREW", "", nil, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := serveRaw(t, func(conn, all int) (string, bool) {
				switch {
				case conn == 1:
					return test.partly, false
				case test.method == http.MethodHead && all > 0:
					return bare, true
				}
				return ok, true
			})
			p := pool(t, s.addr)
			get(t, p, "/first")
			_, body, err := do(p, request(t, test.method, "/second", test.body, test.fields...))
			requests, conns := s.seen()
			if n := len(requests) - 1; n != test.times {
				t.Fatalf("the server saw it %d times, want %d", n, test.times)
			}
			switch {
			case test.times == 2 && (err != nil || conns != 2):
				t.Errorf("got %q, %v over %d connections, want an answer over a second one", body, err, conns)
			case test.partly != "":
				if err == nil {
					t.Errorf("got %q, want an error", body)
				}
			case test.times == 1 && !isKept(err):
				t.Errorf("got %q, %v, want %v", body, err, "that the origin closed a kept connection")
			}
		})
	}
}

// TestFreshConnectionDies: then the server means it.
func TestFreshConnectionDies(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { return "", false })
	_, _, err := do(pool(t, s.addr), request(t, http.MethodGet, "/", ""))
	if requests, _ := s.seen(); err == nil || isKept(err) || len(requests) != 1 {
		t.Errorf("got %v and %d requests, want an error that speaks of no kept connection, and one request", err, len(requests))
	}
}

// TestKeptConnectionClosed: one that was closed before anything was written on it
// is no loss, for any request.
func TestKeptConnectionClosed(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { return ok, false })
	p := pool(t, s.addr)
	var want []string
	for range 20 {
		for _, body := range []string{"", "a=b", strings.Repeat("a", 100_000)} {
			want = append(want, "POST /")
			if _, _, err := do(p, request(t, http.MethodPost, "/", body)); err != nil {
				t.Errorf("a POST of %d bytes: %v", len(body), err)
			}
			eventually(t, "the end of the connection", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.closed == len(want)
			})
		}
	}
	if requests, _ := s.seen(); !slices.Equal(requests, want) {
		t.Errorf("the server saw %d requests, want %d", len(requests), len(want))
	}
}

// TestNoConnection: a request that reached nobody goes to another server, whatever
// it is, and whole.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { return ok, true })
	p := pool(t, closed(t), closed(t), s.addr)
	for range 6 {
		if _, _, err := do(p, request(t, http.MethodPost, "/buy", "qty=1")); err != nil {
			t.Error(err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.bodies) != 6 || slices.ContainsFunc(s.bodies, func(b string) bool { return b != "qty=1" }) {
		t.Errorf("the server saw the bodies %q", s.bodies)
	}
}

// closed is an address at which nobody listens.
func closed(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// isKept reports whether an error says that a kept connection was the fault.
func isKept(err error) bool {
	return err != nil && strings.Contains(err.Error(), "origin closed a kept connection")
}
