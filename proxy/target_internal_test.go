package proxy

import (
	"net/http"
	"net/url"
	"testing"
)

// TestOriginTarget: a target goes on byte for byte or is refused.
func TestOriginTarget(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, sent, want string }{
		{"GET", "/", "/"}, {"GET", "/?", "/?"}, {"GET", "/a??b", "/a??b"}, {"GET", "/a#b?c", "/a#b?c"}, {"GET", "/a%2Fb//c", "/a%2Fb//c"},
		{"GET", "//", "//"}, {"GET", "//a//b?c", "//a//b?c"}, {"GET", "//a?", "//a?"}, {"GET", "///", "///"}, {"GET", "//a%2f%41", "//a%2f%41"},
		{"GET", "//a|b", ""}, {"GET", "//\xe4", ""}, {"GET", "/\xe4|", "/\xe4|"}, {"GET", "/a?\xe4|#", "/a?\xe4|#"},
		{"OPTIONS", "*", "*"}, {"GET", "*", ""},
		{"GET", "https://shop.example.com", "/"}, {"GET", "https://shop.example.com?a=b", "/?a=b"}, {"GET", "http://shop.example.com/a|b?c", "/a|b?c"},
		{"GET", "https://shop.example.com//a", "//a"}, {"GET", "https://shop.example.com/a://b", "/a://b"},
	} {
		u, err := url.ParseRequestURI(test.sent)
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{Method: test.method, URL: u, RequestURI: test.sent}
		got, err := originTarget(r)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s %q: got %q, %v; want %q", test.method, test.sent, got, err, test.want)
		}
		if err == nil && targetURL(got, u).RequestURI() != got {
			t.Errorf("%q would be sent as %q", got, targetURL(got, u).RequestURI())
		}
	}
}
