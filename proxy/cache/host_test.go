package cache_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/waitroom/waitroom/proxy/cache"
)

// TestHosts: an answer is for whoever wrote the host in a way that browsers take for
// the same, and for nobody else: the shop writes what it was asked under into links.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scheme, first, then string
		same                bool
	}{
		{"https", host, host, true},
		{"https", host, strings.ToUpper(host), true},
		{"https", host, host + ":443", true},
		{"https", host + ":443", host, true},
		{"http", host, host + ":80", true},
		{"http", host + ":443", host, false},
		{"https", host + ":80", host, false},
		{"https", host + ":8443", host, false},
		{"https", host + ":8443", host + ":8443", true},
		{"https", host + ":1", host + ":8443", false},
		{"https", host + ":", host, false},
		{"https", host + ".", host, false},
		{"https", host + ".:443", host, false},
		{"https", "evil.example", host, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "public, max-age=60")
				_, _ = w.Write([]byte(r.Host))
			})
			ask := func(host string) got {
				r := request(http.MethodGet, "/a")
				r.Host = host
				r.Header.Set("X-Forwarded-Proto", test.scheme)
				r.Header.Set("X-Forwarded-Host", host)
				return f.do(r)
			}
			ask(test.first).is(t, test.first, 200, test.first)
			want := test.then
			if test.same {
				want = test.first
			}
			ask(test.then).is(t, test.first+", then "+test.then, 200, want)
		})
	}
}

// TestMethodFieldsUnderAnySpelling: what makes another method of a request at some
// shops is not answered from what is kept, also where they read underscores as
// hyphens, and it makes what is kept doubtful.
func TestMethodFieldsUnderAnySpelling(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string]bool{
		"X-HTTP-Method-Override": true, "X_HTTP_Method_Override": true, "x-http_method": true, "X-METHOD_override": true,
		"X-Http-Methods": false, "Method": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, says("Cache-Control", "max-age=60"))
			f.get("/a").is(t, name, 200, "answer 1")
			r := request(http.MethodGet, "/a")
			r.Header[http.CanonicalHeaderKey(name)] = []string{"POST"}
			want, then := "answer 1", "answer 1"
			if changes {
				want, then = "answer 2", "answer 3"
			}
			f.do(r).is(t, name, 200, want)
			f.get("/a").is(t, name+", then", 200, then)
		})
	}
}

// TestOriginWithACacheOfItsOwn: what the shop's own cache says of itself is passed
// on, and is not taken for ours.
func TestOriginWithACacheOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, says("Cache-Control", "private", "Cache-Status", "waitroom; hit"))
		g := f.get("/a").has(t, "passed on", "Cache-Status", "waitroom; hit, waitroom; fwd=uri-miss; detail=private")
		if cache.Kept(g.Response) {
			t.Error("what another waitroom kept counts as kept here")
		}
		f = newFront(t, big, says("Cache-Control", "max-age=60", "Cache-Status", "waitroom; hit"))
		if g := f.get("/a"); cache.Kept(g.Response) {
			t.Error("what was fetched counts as kept")
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			g := f.do(request(method, "/a")).has(t, method, "Cache-Status", "waitroom; hit, waitroom; hit")
			if !cache.Kept(g.Response) {
				t.Errorf("%s: what was kept does not count as kept", method)
			}
		}
	})
}
