package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

// TestFramed: inside another page there is one page of ours, which tells nothing, gives
// nothing, and can be seen; every other one cannot.
func TestFramed(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: wideRoom, config: "bots: {proof: true}"})
	title := pageTitles(t)[static.Framed]
	in := s.person()
	in.own(http.MethodGet, "line", "Sec-Fetch-Dest", "document").code(t, "by itself", http.StatusOK)
	for _, dest := range []string{"iframe", "frame", "embed", "object", "fencedframe"} {
		b := s.person()
		for _, test := range []struct{ method, path, whole string }{
			{http.MethodGet, "/.waitroom/golden-toy/line", "/.waitroom/golden-toy/line"},
			{http.MethodGet, "/.waitroom/golden-toy/line?joined", "/.waitroom/golden-toy/line?joined"},
			{http.MethodGet, "/.waitroom/golden-toy/prove", "/.waitroom/golden-toy/prove"},
			{http.MethodPost, "/.waitroom/golden-toy/ticket", "/toys/golden"},
			{http.MethodPost, "/.waitroom/golden-toy/pass", "/toys/golden"},
			{http.MethodPost, "/toys/golden/buy", "/toys/golden"},
			{http.MethodGet, "/.waitroom/shop/line", "/.waitroom/shop/line"},
		} {
			what := dest + ": " + test.method + " " + test.path
			r := b.do(test.method, test.path, "", "Sec-Fetch-Dest", dest).code(t, what, http.StatusOK).noCookie(t, what)
			if titleOf(r.body) != title || !strings.Contains(r.body, `href="`+test.whole+`" target="_top"`) {
				t.Errorf("%s: the page is titled %q and does not lead to %s", what, titleOf(r.body), test.whole)
			}
			if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors *") || !strings.Contains(policy, "default-src 'none'") {
				t.Errorf("%s: its policy is %s", what, policy)
			}
		}
		nothing := b.get("/.waitroom/silver/line", "Sec-Fetch-Dest", dest).code(t, dest+": of no sale", http.StatusNotFound)
		if titleOf(nothing.body) != title {
			t.Errorf("%s: a page of no sale is titled %q", dest, titleOf(nothing.body))
		}
		b.get("/.waitroom/golden-toy/status", "Sec-Fetch-Dest", dest).code(t, dest+": the shared status", http.StatusOK).head(t, dest, "Content-Type", "application/json")
	}
	for name, fields := range map[string][]string{
		"by itself":              {"Sec-Fetch-Dest", "document"},
		"by a browser of before": {"Sec-Fetch-Mode", "", "Sec-Fetch-Dest", ""},
	} {
		r := s.person().own(http.MethodGet, "line", fields...)
		if policy := r.Header.Get("Content-Security-Policy"); titleOf(r.body) == title || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s the page is titled %q, its policy is %s", name, titleOf(r.body), policy)
		}
	}
}

// TestFramedRoom: a page of the shop's own inside another one goes with those who are in
// a room, or while it has no line, as what a page loads does; it takes no place.
func TestFramedRoom(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom})
	s.person().get("/shop/widget", "Sec-Fetch-Dest", "iframe").code(t, "without a line", http.StatusOK).noCookie(t, "without a line")
	in, _ := s.crowded()
	in.get("/shop/widget", "Sec-Fetch-Dest", "iframe").code(t, "inside", http.StatusOK)
	r := s.person().get("/shop/widget?a=1", "Sec-Fetch-Dest", "iframe").code(t, "at a line", http.StatusOK).noCookie(t, "at a line")
	if titleOf(r.body) != pageTitles(t)[static.Framed] || !strings.Contains(r.body, `href="/shop/widget?a=1" target="_top"`) {
		t.Errorf("at a line the page is titled %q", titleOf(r.body))
	}
}
