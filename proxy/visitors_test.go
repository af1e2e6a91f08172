package proxy_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestAskedByThemselves: what browsers and robots ask for by themselves is passed on,
// also where all of the shop is a room with a line; it takes no ticket, no cookie and no
// token of its shopper's.
func TestAskedByThemselves(t *testing.T) {
	t.Parallel()
	s := play(t, plot{
		room:   strings.Replace(narrowRoom, "/shop", "/", 1),
		config: "limits: {device: {buy: 1/h, claim: 1/h}, account: {buy: 1/h}}",
	})
	in, waits := s.inside(), s.person()
	waits.get("/shop").isWaiting(t, "arrival at a full room", http.StatusOK)
	s.until("the room is armed", func() bool { return in.room(http.MethodGet, "status").field("armed") == "true" })
	files := []string{
		"/favicon.ico", "/favicon.svg", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/robots.txt",
		"/.well-known/assetlinks.json", "/.well-known/apple-app-site-association", "/sw.js", "/service-worker.js",
		"/manifest.webmanifest", "/site.webmanifest", "/manifest.json",
	}
	entered := in.room(http.MethodGet, "status").field("entered")
	for _, path := range files {
		for name, fields := range map[string][]string{
			"as a browser does":  {"Accept", "*/*", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"},
			"as a worker's file": {"Accept", "*/*", "Sec-Fetch-Mode", "same-origin", "Sec-Fetch-Dest", "serviceworker"},
			"as nobody says":     {"Accept", "", "Sec-Fetch-Mode", ""},
			"in a window":        {},
		} {
			what := path + " " + name
			r := s.person().get(path, fields...).code(t, what, http.StatusOK).noCookie(t, what)
			if got := s.shop.last(t); got.URL.Path != path || strings.Contains(r.body, "<h1") {
				t.Errorf("%s: the shop was asked for %s", what, got.URL.Path)
			}
			waits.get(path, fields...).code(t, what+", in line", http.StatusOK).noCookie(t, what+", in line")
		}
	}
	if got := in.room(http.MethodGet, "status").field("entered"); got != entered {
		t.Errorf("%s entered the room, want %s", got, entered)
	}
	if got := s.person().own(http.MethodGet, "me").field("state"); got != "none" {
		t.Errorf("a sale's state is %s, want none", got)
	}
	for _, path := range []string{"/sw.js/x", "/shop/sw.js", "/sw.jsx", "/%73w.js/../shop"} {
		if r := s.person().get(path); r.StatusCode == http.StatusOK && !strings.Contains(r.body, "<h1") {
			t.Errorf("%s passes the line", path)
		}
	}
}

// TestRobots: who looks at pages for others gets the product page, with its title and
// picture, and stands in no line; nor does who takes such a name.
func TestRobots(t *testing.T) {
	t.Parallel()
	s := play(t, plot{page: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Golden toy</title><meta property="og:image" content="/toy.jpg">`))
	}})
	person := s.browser()
	person.get("/toys/golden")
	before := s.shop.asked("/toys/golden")
	for _, agent := range []string{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
		"Twitterbot/1.0", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)", "Discordbot/2.0",
	} {
		for range 50 / 7 {
			b := s.person()
			page := b.get("/toys/golden", "User-Agent", agent).code(t, agent, http.StatusOK).noCookie(t, agent)
			if !strings.Contains(page.body, "<title>Golden toy</title>") || !strings.Contains(page.body, "og:image") {
				t.Fatalf("%s gets %q", agent, page.body)
			}
			b.own(http.MethodGet, "line", "User-Agent", agent).code(t, agent+" at the line", http.StatusOK).noCookie(t, agent+" at the line").
				head(t, agent, "X-Robots-Tag", "noindex")
			b.own(http.MethodHead, "line", "User-Agent", agent).code(t, agent+", HEAD", http.StatusOK).noCookie(t, agent+", HEAD")
		}
	}
	if got := s.shop.asked("/toys/golden") - before; got > 2 { // refreshes by ourselves
		t.Errorf("the shop was asked %d times, want never", got)
	}
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		person.own(method, "status").code(t, method+" status", http.StatusOK).noCookie(t, method+" status")
	}
	person.do(http.MethodHead, "/toys/golden", "").code(t, "HEAD", http.StatusOK).noCookie(t, "HEAD")
	person.own(http.MethodPost, "status").code(t, "POST status", http.StatusMethodNotAllowed).noCookie(t, "POST status").head(t, "POST status", "Allow", "GET, HEAD")
	// A phone by the name of Cubot is one.
	phone := s.person()
	phone.own(http.MethodGet, "line", "User-Agent", "Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) Chrome/120 Mobile").code(t, "a phone", http.StatusSeeOther)
	if got := s.browser().join().field("number"); got != "1" {
		t.Errorf("the next ticket has number %s, want 1: that of the phone is 0", got)
	}
}
