package proxy_test

import (
	"io"
	"net/http"
	"sync"
	"testing"
)

// TestPlaces_StrangersErrors: what a client makes wrong itself, and what the shop was not
// made for, do not make it be asked for less.
func TestPlaces_StrangersErrors(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == "FOO" {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		_, _ = io.WriteString(w, "here")
	}})
	b := s.browser()
	b.do(http.MethodPost, "/x", "a=b").code(t, "known", http.StatusOK)
	b.do("FOO", "/x", "").code(t, "not made for it", http.StatusNotImplemented)
	before := s.number("waitroom_origin_limit")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				b.do("FOO", "/x", "").code(t, "not made for it", http.StatusNotImplemented)
				resp, _ := s.raw("POST /x HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n")
				if resp.StatusCode != http.StatusBadRequest {
					t.Errorf("got %d", resp.StatusCode)
				}
			}
		})
	}
	all.Wait()
	if after := s.number("waitroom_origin_limit"); len(after) < len(before) || len(after) == len(before) && after < before {
		t.Errorf("%s may be there, %s before", after, before)
	}
	if away := s.number("waitroom_origins_away"); away != "0" {
		t.Errorf("%s servers are passed over", away)
	}
	if said := s.log.lines(t, "origin does not answer"); len(said) > 0 {
		t.Errorf("the shop is said not to answer: %v", said)
	}
}
