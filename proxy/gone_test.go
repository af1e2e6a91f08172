package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestGone: a client that leaves while something that it sent, or has begun to send,
// stands in its connection unread holds nothing at the origin any more, before the answer
// and within it.
func TestGone(t *testing.T) {
	t.Parallel()
	there, held := make(chan struct{}), atomic.Int32{}
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack() // so that it asks for no body
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		if r.URL.Path == "/silent" {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
		}
		held.Add(1)
		defer held.Add(-1)
		there <- struct{}{}
		_, _ = io.Copy(io.Discard, conn)
	}})
	ended := func(path string) (n int) {
		for _, line := range s.log.lines(t, "request") {
			if line["path"] == path {
				n++
			}
		}
		return n
	}
	for _, c := range []struct{ what, sent string }{
		{"another request", "GET %s HTTP/1.1\r\nHost: %s\r\n\r\nGET /next HTTP/1.1\r\nHost: " + host + "\r\n\r\n"},
		{"a body that is not asked for", "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhell"},
		{"an unfinished body", "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 40000\r\n\r\n" + strings.Repeat("x", 20000)},
		{"an unfinished chunk", "POST %s HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell"},
	} {
		for _, path := range []string{"/silent", "/never"} {
			what := c.what + ", " + path
			conn, before := s.rawConn(), ended(path)
			_, err := fmt.Fprintf(conn, c.sent, path, host)
			report(t, err)
			<-there
			begun := time.Now()
			report(t, conn.Close())
			s.until(what+": left", func() bool { return ended(path) > before && held.Load() == 0 })
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("%s: left after %v", what, took)
			}
			s.until(what+": holds nothing", func() bool { // who left unanswered keeps the place for a while
				return s.number("waitroom_origin_requests") == "0" && s.number("waitroom_connections/served") == "0"
			})
		}
	}
}
