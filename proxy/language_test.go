package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

const languageCookie = "__Host-wr-lang"

// TestLanguageOfPages: a page is in the language that was chosen, or else in the nearest to
// what the browser asks for, among those of the sale, and says so. Answers for programs
// are the same in every language.
func TestLanguageOfPages(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "languages: [fr, en, zh-Hant]", config: "languages: [de, en]"})
	const line, nothing = "/.waitroom/golden-toy/line", "/.waitroom/no-such-sale/line"
	for _, test := range []struct{ path, chosen, accept, want string }{
		{line, "", "", "fr"},
		{line, "", "en-US,en;q=0.9", "en"},
		{line, "", "zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant"},
		{line, "", "pl", "fr"},
		{line, "en", "zh-TW", "en"},
		{line, "de", "zh-TW", "zh-Hant"}, // not offered here
		{line, "banana", "en", "en"},
		{line, "", strings.Repeat("en;q=0.1,", 800), "en"},
		{line, "", strings.Repeat("-", 8000), "fr"},
		{nothing, "", "", "de"},
		{nothing, "", "en", "en"},
		{nothing, "fr", "en", "en"},
	} {
		p := s.person()
		if test.chosen != "" {
			p.plant(languageCookie, test.chosen)
		}
		p.get(test.path) // gives a ticket, and sends to where it is seen whether it is kept
		r := p.get(test.path, "Accept-Language", test.accept)
		r.head(t, test.path, "Content-Language", test.want).head(t, test.path, "Cache-Control", "no-store")
		if want := `<html lang="` + test.want + `" `; !strings.Contains(r.body, want) {
			t.Errorf("%s, chosen %q, accepted %.30q: got no %s", test.path, test.chosen, test.accept, want)
		}
		if strings.Contains(strings.Join(r.Header.Values("Set-Cookie"), "\n"), languageCookie) {
			t.Errorf("%s: sets the language unasked", test.path)
		}
	}
	me := s.browser()
	plain := me.own(http.MethodGet, "me").body
	if got := me.own(http.MethodGet, "me", "Accept-Language", "fr").body; plain == "" || keysOf(got) != keysOf(plain) {
		t.Errorf("me in French is %s, want as %s", got, plain)
	}
}

// keysOf is a JSON text without digits.
func keysOf(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// TestChangeLanguage: a choice is kept, leads back to where it was made, and nowhere else;
// it brings nobody into a line, and is no answer that is kept.
func TestChangeLanguage(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	const own = "https://" + host
	for _, test := range []struct{ query, referer, want string }{
		{"to=de&back=%2Fshop%2Fdeep%3Fa%3D1%26b%3D%252F%25e4", "", "/shop/deep?a=1&b=%2F%e4"},
		{"to=de&back=/.waitroom/golden-toy/line", own + "/toys/golden/buy", "/.waitroom/golden-toy/line"},
		{"to=de", own + "/shop/deep?size=42&x=%2F%20", "/shop/deep?size=42&x=%2F%20"},
		{"to=zh-Hant", own + ":443/shop", "/shop"},
		{"to=de", own, "/"},
		{"to=de", "", "/"},
		{"to=de", "https://elsewhere.example/shop", "/"},
		{"to=de", "https://" + host + ".elsewhere.example/shop", "/"},
		{"to=de", "https://" + host + "@elsewhere.example/shop", "/"},
		{"to=de", own + "//elsewhere.example/", "/"},
		{"to=de", own + `/\elsewhere.example/`, "/%5Celsewhere.example/"},
		{"to=de&back=https://elsewhere.example/", "", "/"},
		{"to=de&back=//elsewhere.example/", "", "/"},
		{"to=de&back=/%5Celsewhere.example/", "", "/"},
		{"to=de&back=%5C/elsewhere.example/", "", "/"},
		{"to=de&back=/%09/elsewhere.example/", "", "/"},
		{"to=de&back=%09//elsewhere.example/", "", "/"},
		{"to=de&back=/a%0d%0aSet-Cookie:%20x=1", "", "/"},
		{"to=de&back=javascript:alert(1)", "", "/"},
		{"to=de&back=/" + strings.Repeat("a", 4000), "", "/"},
	} {
		p := s.person()
		r := p.get("/.waitroom/language?"+test.query, "Referer", test.referer).code(t, test.query, http.StatusSeeOther)
		r.head(t, test.query, "Location", test.want).head(t, test.query, "Cache-Control", "no-store")
		set := r.Header.Values("Set-Cookie")
		to, _, _ := strings.Cut(strings.TrimPrefix(test.query, "to="), "&")
		if want := languageCookie + "=" + to + "; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax"; len(set) != 1 || set[0] != want {
			t.Errorf("%s: sets %q, want %q", test.query, set, want)
		}
	}
	p := s.person()
	p.get("/.waitroom/language?to=pl", "Referer", own+"/toys/golden")
	p.get("/.waitroom/golden-toy/line")
	p.get("/.waitroom/golden-toy/line").head(t, "the line", "Content-Language", "pl")
	s.until("who opened the line has entered", func() bool { return s.browser().own(http.MethodGet, "status").field("entered") != "0" })
	if got := s.browser().own(http.MethodGet, "status").field("entered"); got != "1" {
		t.Errorf("%s people have entered, want who opened the line", got)
	}
	for _, test := range []struct {
		what, method, query string
		fields              []string
		want                int
	}{
		{"no language", http.MethodGet, "", nil, http.StatusBadRequest},
		{"none of ours", http.MethodGet, "?to=tlh", nil, http.StatusBadRequest},
		{"broken", http.MethodGet, "?to=de;x", nil, http.StatusBadRequest},
		{"posted", http.MethodPost, "?to=de", nil, http.StatusMethodNotAllowed},
		{"looked at", http.MethodHead, "?to=de", nil, http.StatusSeeOther},
		{"inside another page", http.MethodGet, "?to=de", []string{"Sec-Fetch-Dest", "iframe"}, http.StatusSeeOther},
		{"loaded beforehand", http.MethodGet, "?to=de", []string{"Sec-Purpose", "prefetch"}, http.StatusServiceUnavailable},
	} {
		s.person().do(test.method, "/.waitroom/language"+test.query, "", test.fields...).code(t, test.what, test.want).noCookie(t, test.what)
	}
}

// TestLanguageAfterForm: the answer to a form leads to the line, never to the address that
// it was posted to.
func TestLanguageAfterForm(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	p := s.person()
	r := p.do(http.MethodPost, "/toys/golden/buy", "qty=banana")
	for _, lang := range static.Languages()[1:] {
		if want := `href="/.waitroom/language?to=` + lang + `&amp;back=%2f.waitroom%2fgolden-toy%2fline"`; !strings.Contains(r.body, want) {
			t.Fatalf("%d: got no %s in\n%s", r.StatusCode, want, r.body)
		}
	}
}
