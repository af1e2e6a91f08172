package origin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestBehindAnAnswer: what a server sends beyond an answer is not the next client's.
func TestBehindAnAnswer(t *testing.T) {
	t.Parallel()
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
	for name, c := range map[string][2]string{
		"a body of a HEAD":      {http.MethodHead, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(evil), evil)},
		"a body of a 204":       {http.MethodPut, bare + evil},
		"a body of a 304":       {http.MethodPut, "HTTP/1.1 304 Not Modified\r\n\r\n" + evil},
		"behind no body":        {http.MethodPut, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + evil},
		"behind a body":         {http.MethodPut, ok + evil},
		"behind the last chunk": {http.MethodPut, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n" + evil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveRaw(t, func(int, int) (string, bool) { return c[1], true })
			p := pool(t, s.addr)
			for range 2000 {
				if _, _, err := do(p, request(t, c[0], "/", "")); err != nil {
					t.Fatal(err)
				}
			}
			requests, conns := s.seen()
			if conns != len(requests) {
				t.Errorf("%d connections carried %d requests, want one each", conns, len(requests))
			}
		})
	}
}

// TestBehindNothing: a connection behind whose answer nothing stands is there for who
// asks next, at once.
func TestBehindNothing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"no body": bare, "a body": ok, "chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		"a long body": "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveRaw(t, func(int, int) (string, bool) { return answer, true })
			p := pool(t, s.addr)
			for range 300 {
				get(t, p, "/")
			}
			if _, conns := s.seen(); conns != 1 {
				t.Errorf("%d connections were opened, want 1", conns)
			}
		})
	}
}
