package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// TestGone: a client that leaves while another request stands in its connection unread
// holds nothing at the origin any more, before the answer and within it.
func TestGone(t *testing.T) {
	t.Parallel()
	over, there := make(chan struct{}), make(chan struct{}, 100)
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "hello")
			_ = http.NewResponseController(w).Flush()
		}
		there <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-over: // it sees nothing while it has not read a body
		}
	}})
	defer close(over)
	ended := func(path string) (n int) {
		for _, line := range s.log.lines(t, "request") {
			if line["path"] == path {
				n++
			}
		}
		return n
	}
	for _, path := range []string{"/silent", "/never"} {
		conn := s.rawConn()
		_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\nGET /next HTTP/1.1\r\nHost: %s\r\n\r\n", path, host, host)
		report(t, err)
		<-there
		begun, before := time.Now(), ended(path)
		report(t, conn.Close())
		s.until(path+": left", func() bool { return ended(path) > before })
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s: left after %v", path, took)
		}
	}
}
