package origin_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/proxy/origin"
)

// TestSentAlike: a server is sent the same bytes over a direct connection as over that of
// a standard client.
func TestSentAlike(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3000)
	for name, make := range map[string]func() *http.Request{
		"nothing to it":  func() *http.Request { return request(t, http.MethodGet, "/", "") },
		"a query":        func() *http.Request { return request(t, http.MethodGet, "/a%2Fb/;c?d=%zz&&e?", "") },
		"an empty query": func() *http.Request { return request(t, http.MethodGet, "/a?", "") },
		"no agent":       func() *http.Request { return request(t, http.MethodGet, "/", "", "User-Agent", "") },
		"an agent":       func() *http.Request { return request(t, http.MethodGet, "/", "", "User-Agent", "browser") },
		"fields": func() *http.Request {
			return request(t, http.MethodGet, "/", "", "Z", "1", "A", " 2 ", "Cookie", long, "Te", "trailers")
		},
		"a field twice": func() *http.Request {
			r := request(t, http.MethodGet, "/", "", "X", "1")
			r.Header.Add("X", "2")
			return r
		},
		"an odd name": func() *http.Request {
			r := request(t, http.MethodGet, "/", "")
			r.Header["x_y"] = []string{"1"}
			return r
		},
		"a length that lies": func() *http.Request {
			return request(t, http.MethodGet, "/", "", "Content-Length", "7", "Host", "other")
		},
		"HEAD":               func() *http.Request { return request(t, http.MethodHead, "/", "") },
		"POST of nothing":    func() *http.Request { return request(t, http.MethodPost, "/", "") },
		"PATCH of nothing":   func() *http.Request { return request(t, http.MethodPatch, "/", "") },
		"DELETE":             func() *http.Request { return request(t, http.MethodDelete, "/", "") },
		"another method":     func() *http.Request { return request(t, "BREW", "/", "") },
		"a body":             func() *http.Request { return request(t, http.MethodPost, "/", "a=b") },
		"a body of a GET":    func() *http.Request { return request(t, http.MethodGet, "/", "a=b") },
		"a longer body":      func() *http.Request { return request(t, http.MethodPut, "/", long) },
		"a host with a port": func() *http.Request { r := request(t, http.MethodGet, "/", ""); r.Host = "[::1]:8443"; return r },
		"a host in letters":  func() *http.Request { r := request(t, http.MethodGet, "/", ""); r.Host = "läden.example"; return r },
		"a host with a zone": func() *http.Request { r := request(t, http.MethodGet, "/", ""); r.Host = "[fe80::1%25eth0]"; return r },
		"other letters":      func() *http.Request { return request(t, http.MethodGet, "/", "", "X", "ä\xff\t") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, want := sent(t, make(), (*origin.Pool).Direct), sent(t, make(), (*origin.Pool).Standard)
			if got != want {
				t.Errorf("got\n%q, want\n%q", got, want)
			}
		})
	}
}

// sent is what a server is sent by a pool of one kind.
func sent(t *testing.T, r *http.Request, kind func(*origin.Pool) *origin.Pool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	text := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		var all strings.Builder
		r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &all)))
		if err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		_, _ = io.WriteString(conn, bare)
		text <- all.String()
	}()
	if _, _, err := do(kind(pool(t, l.Addr().String())), r); err != nil {
		t.Fatal(err)
	}
	return <-text
}
