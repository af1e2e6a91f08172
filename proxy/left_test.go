package proxy_test

import (
	"net/http"
	"testing"
)

// TestLeft: the script of a shop's page goes to everybody, also where no other
// request of the address is answered, and costs Redis nothing.
func TestLeft(t *testing.T) {
	t.Parallel()
	const path = "/.waitroom/golden-toy/left.js"
	s := play(t, plot{config: "limits: {address: {request: 1/min}}"})
	b := s.browser()
	for range 4 { // a minute's worth, and more
		b.own(http.MethodGet, "me")
	}
	b.own(http.MethodGet, "me").want(t, "one too many", http.StatusTooManyRequests, "slow_down")
	var tag string
	for range 3 {
		r := b.get(path).code(t, "the script", http.StatusOK)
		r.head(t, "the script", "Content-Type", "text/javascript; charset=utf-8").
			head(t, "the script", "X-Content-Type-Options", "nosniff").
			head(t, "the script", "Cache-Control", "public, max-age=300, stale-while-revalidate=86400").
			noCookie(t, "the script")
		tag = r.Header.Get("ETag")
	}
	if r := b.get(path, "If-None-Match", tag).code(t, "the same script", http.StatusNotModified); r.body != "" {
		t.Errorf("304 with a body: %s", r.body)
	}
	if r := b.do(http.MethodHead, path, "").code(t, "its head", http.StatusOK); r.body != "" || r.Header.Get("ETag") != tag {
		t.Errorf("HEAD is answered with %q and the tag %s, want %s", r.body, r.Header.Get("ETag"), tag)
	}
	if s.shop.asked(path) != 0 {
		t.Error("the shop was asked for the script")
	}
	if s.left() != 10 {
		t.Errorf("%d units are left, want 10", s.left())
	}
	q := play(t, plot{stock: -1}) // nothing is known of its gate
	q.browser().get(path).code(t, "the script of a sale that is not loaded", http.StatusOK)
	q.browser().do(http.MethodPost, path, "").code(t, "a post", http.StatusMethodNotAllowed).head(t, "a post", "Allow", "GET, HEAD")
	q.browser().get("/.waitroom/socks/left.js").code(t, "another sale's", http.StatusNotFound)
}
