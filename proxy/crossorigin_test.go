package proxy_test

import (
	"net/http"
	"testing"
)

// TestBuyFromAnotherOrigin: a page of another of our domains asks the shop whether it
// may buy here, and can read what it is told then, yes or no. Nobody else can.
func TestBuyFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	s := play(t, plot{
		stock:  1,
		config: "tls: {mode: internal, domains: [" + host + ", www.shop.example.com, '*.cdn.example']}",
		shop: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
			w.WriteHeader(http.StatusNoContent)
		},
	})
	b := s.browser()
	const ours, theirs = "https://www.shop.example.com", "https://evil.example"
	b.do(http.MethodOptions, "/toys/golden/buy", "", "Origin", ours, "Access-Control-Request-Method", "POST").
		code(t, "preflight", http.StatusNoContent).head(t, "preflight", "Access-Control-Allow-Origin", ours).noCookie(t, "preflight")
	reads := func(what string, code int, r reply, origin string) {
		t.Helper()
		r.code(t, what, code).head(t, what, "Access-Control-Allow-Origin", origin)
		credentials, vary := "true", "Origin"
		if origin == "" {
			credentials, vary = "", ""
		}
		r.head(t, what, "Access-Control-Allow-Credentials", credentials).head(t, what, "Vary", vary)
	}
	script := []string{"Accept", "application/json", "Sec-Fetch-Mode", "cors", "Origin"}
	reads("before its turn", http.StatusTooManyRequests, b.buy("", append(script, ours)...), ours)
	b.called()
	reads("a yes", http.StatusCreated, b.buy("", append(script, ours)...), ours)
	s.state("all_held")
	for _, test := range []struct{ origin, reads string }{
		{ours, ours}, {"https://a.cdn.example", "https://a.cdn.example"}, {"https://WWW.shop.example.com", "https://WWW.shop.example.com"},
		{"http://www.shop.example.com", ""}, {"https://www.shop.example.com.evil.example", ""}, {theirs, ""}, {"null", ""}, {"https://" + host, ""},
		{"https://evil.example/www.shop.example.com", ""}, {"https://evil.example@www.shop.example.com", ""}, {"", ""},
	} {
		reads("sold out, from "+test.origin, http.StatusConflict, s.browser().buy("", append(script, test.origin)...), test.reads)
	}
}
