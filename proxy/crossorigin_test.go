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
		{ours + ":9999", ""}, {ours + ".", ""}, {"https://[www.shop.example.com]", ""}, {"https://.cdn.example", ""}, {"https://a.b.cdn.example", ""},
		{ours + ":443", ""}, {"https://*.cdn.example", ""},
	} {
		reads("sold out, from "+test.origin, http.StatusConflict, s.browser().buy("", append(script, test.origin)...), test.reads)
	}
}

// TestListedOrigins: an app of an origin that is listed may ask, read and buy with
// cookies, as far as its browser sends them; everybody may read what is the same for
// everybody, and one copy of that does.
func TestListedOrigins(t *testing.T) {
	t.Parallel()
	const app, port, theirs = "https://app.example.com", "https://b.example.com:8443", "https://evil.example"
	s := play(t, plot{
		room: wideRoom, config: `cors: {origins: ["` + app + `", "` + port + `"]}`,
		shop: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
	})
	b := s.browser()
	asks := func(path, origin, method, fields string) reply {
		return b.do(http.MethodOptions, path, "", "Origin", origin, "Access-Control-Request-Method", method, "Access-Control-Request-Headers", fields)
	}
	for _, test := range []struct {
		path, origin, method string
		code                 int
		reads, methods       string
	}{
		{"/toys/golden/buy", app, "POST", 204, app, "POST, PUT, PATCH"},
		{"/toys/golden/buy", port, "POST", 204, port, "POST, PUT, PATCH"},
		{"/toys/golden/buy", theirs, "POST", 418, "", ""}, // for the shop to say
		{"/.waitroom/golden-toy/ticket", app, "POST", 204, app, "POST"},
		{"/.waitroom/golden-toy/me", app, "GET", 204, app, "GET, HEAD"},
		{"/.waitroom/golden-toy/order", port, "GET", 204, port, "GET, HEAD"},
		{"/.waitroom/shop/pass", app, "POST", 204, app, "POST"},
		{"/.waitroom/golden-toy/me", theirs, "GET", 405, "", ""},
		{"/.waitroom/golden-toy/me", "https://app.example.com.evil.example", "GET", 405, "", ""},
		{"/.waitroom/golden-toy/me", "http://app.example.com", "GET", 405, "", ""},
		{"/.waitroom/golden-toy/me", "https://b.example.com", "GET", 405, "", ""},
		{"/.waitroom/golden-toy/me", "null", "GET", 405, "", ""},
		{"/.waitroom/golden-toy/nothing", app, "GET", 404, app, ""},
		{"/.waitroom/golden-toy/status", theirs, "GET", 204, "*", "GET, HEAD"},
		{"/.waitroom/shop/status", theirs, "GET", 204, "*", "GET, HEAD"},
	} {
		what := test.origin + " asks for " + test.path
		r := asks(test.path, test.origin, test.method, "content-type,idempotency-key").code(t, what, test.code).noCookie(t, what).
			head(t, what, "Access-Control-Allow-Origin", test.reads).head(t, what, "Access-Control-Allow-Methods", test.methods)
		if test.code == http.StatusNoContent {
			r.head(t, what, "Access-Control-Allow-Headers", "content-type,idempotency-key").head(t, what, "Access-Control-Max-Age", "7200")
		}
	}
	asks("/toys/golden/buy", app, "POST", "a\"b").code(t, "a name that is none", http.StatusNoContent).head(t, "a name that is none", "Access-Control-Allow-Headers", "")

	script := []string{"Accept", "application/json", "Sec-Fetch-Mode", "cors", "Origin"}
	const exposed = "Retry-After, ETag, Date"
	read := func(what string, r reply, code int, origin, credentials, vary string) {
		t.Helper()
		r.code(t, what, code).head(t, what, "Access-Control-Allow-Origin", origin).head(t, what, "Access-Control-Allow-Credentials", credentials).head(t, what, "Vary", vary)
		if origin != "" {
			r.head(t, what, "Access-Control-Expose-Headers", exposed)
		}
	}
	read("me", b.own(http.MethodGet, "me", append(script, app)...), 200, app, "true", "Origin")
	read("join", b.own(http.MethodPost, "ticket", append(script, app)...), 201, app, "true", "Origin")
	read("no order", b.own(http.MethodGet, "order", append(script, app)...), 404, app, "true", "Origin")
	read("me elsewhere", b.own(http.MethodGet, "me", append(script, theirs)...), 200, "", "", "")
	read("status", b.own(http.MethodGet, "status", append(script, theirs)...), 200, "*", "", "")
	read("status, listed", b.own(http.MethodGet, "status", append(script, app)...), 200, "*", "", "")
	read("status, to nobody", b.own(http.MethodGet, "status"), 200, "*", "", "")
	read("the script of the number left", b.own(http.MethodGet, "left.js", append(script, theirs)...), 200, "*", "", "")
	read("me of the room", b.room(http.MethodGet, "me", append(script, app)...), 200, app, "true", "Origin")
	b.until("called")
	read("buy", b.buy("", append(script, app)...), 201, app, "true", "Origin")
	b.get("/other", append(script, app)...).head(t, "the shop's own", "Access-Control-Allow-Origin", "")
}
