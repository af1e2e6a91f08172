package cache_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

const big = 64 << 20

// TestKeptOrNot: what is kept for the next one, and what is not.
func TestKeptOrNot(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what  string
		kept  bool
		first []string // fields of the first request
		then  []string // of the second
		says  []string
	}{
		{"nothing said", false, nil, nil, nil},
		{"only a tag", false, nil, nil, []string{"Etag", `"a"`}},
		{"only a date of change", false, nil, nil, []string{"Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT"}},
		{"max-age", true, nil, nil, []string{"Cache-Control", "max-age=60"}},
		{"max-age=0", false, nil, nil, []string{"Cache-Control", "max-age=0"}},
		{"s-maxage before max-age", false, nil, nil, []string{"Cache-Control", "max-age=60, s-maxage=0"}},
		{"private", false, nil, nil, []string{"Cache-Control", "max-age=60, private"}},
		{"private in another line", false, nil, nil, []string{"Cache-Control", "max-age=60", "Cache-Control", "PRIVATE"}},
		{"no-store", false, nil, nil, []string{"Cache-Control", "max-age=60,no-store"}},
		{"no-cache", false, nil, nil, []string{"Cache-Control", "max-age=60, no-cache"}},
		{"quotes that do not end", false, nil, nil, []string{"Cache-Control", `max-age=60, x="`}},
		{"a time in quotes of another", false, nil, nil, []string{"Cache-Control", `x="max-age=60"`}},
		{"two times", false, nil, nil, []string{"Cache-Control", "max-age=60, max-age=0"}},
		{"no time", false, nil, nil, []string{"Cache-Control", "max-age"}},
		{"sets a cookie", false, nil, nil, []string{"Cache-Control", "public, max-age=60", "Set-Cookie", "a=1"}},
		{"varies by everything", false, nil, nil, []string{"Cache-Control", "max-age=60", "Vary", "Accept, *"}},
		{"an event stream", false, nil, nil, []string{"Cache-Control", "max-age=60", "Content-Type", "text/event-stream"}},
		{"for us alone", false, nil, nil, []string{"Cache-Control", "max-age=60", "Waitroom-Command", "release"}},
		{"Surrogate-Control forbids", false, nil, nil, []string{"Cache-Control", "max-age=60", "Surrogate-Control", "no-store"}},
		{"Pragma of old", false, nil, nil, []string{"Expires", "Fri, 01 Jan 2100 00:00:00 GMT", "Pragma", "no-cache"}},
		{"Expires", true, nil, nil, []string{"Expires", "Fri, 01 Jan 2100 00:00:00 GMT"}},
		{"Expires is none", false, nil, nil, []string{"Expires", "0"}},
		{"older than it may be", false, nil, nil, []string{"Cache-Control", "max-age=60", "Age", "61"}},
		{"an Age that is none", false, nil, nil, []string{"Cache-Control", "max-age=60", "Age", "1, 2"}},
		{"asked with a cookie", false, []string{"Cookie", "a=1"}, nil, []string{"Cache-Control", "max-age=60"}},
		{"asked with a cookie, public", true, []string{"Cookie", "a=1"}, []string{"Cookie", "a=2"}, []string{"Cache-Control", "max-age=60, public"}},
		{"asked with a cookie, s-maxage", true, []string{"Cookie", "a=1"}, nil, []string{"Cache-Control", "s-maxage=60"}},
		{"asked with a cookie by which it varies", false, []string{"Cookie", "a=1"}, []string{"Cookie", "a=1"}, []string{"Cache-Control", "s-maxage=60", "Vary", "Cookie"}},
		{"then with a cookie", false, nil, []string{"Cookie", "a=1"}, []string{"Cache-Control", "max-age=60"}},
		{"then with a cookie, public", true, nil, []string{"Cookie", "a=1"}, []string{"Cache-Control", "public, max-age=60"}},
		{"without a cookie by which it varies", true, nil, nil, []string{"Cache-Control", "max-age=60", "Vary", "Cookie"}},
		{"asked with something of ours", false, []string{"Waitroom-Token", "x"}, nil, []string{"Cache-Control", "max-age=60"}},
		{"Authorization", false, []string{"Authorization", "x"}, nil, []string{"Cache-Control", "max-age=60"}},
		{"Authorization, public", true, []string{"Authorization", "x"}, nil, []string{"Cache-Control", "max-age=60, public"}},
		{"Authorization, proxy-revalidate", false, []string{"Authorization", "x"}, nil, []string{"Cache-Control", "max-age=60, proxy-revalidate"}},
		{"Authorization, must-revalidate", true, []string{"Authorization", "x"}, nil, []string{"Cache-Control", "max-age=60, must-revalidate"}},
		{"then Authorization", false, nil, []string{"Authorization", "x"}, []string{"Cache-Control", "max-age=60"}},
		{"no-store in the request", false, []string{"Cache-Control", "no-store"}, nil, []string{"Cache-Control", "max-age=60"}},
		{"no-cache in the second request", true, nil, []string{"Cache-Control", "no-cache", "Pragma", "no-cache"}, []string{"Cache-Control", "max-age=60"}},
		{"made another method", false, []string{"X-Http-Method-Override", "POST"}, nil, []string{"Cache-Control", "max-age=60"}},
		{"another language", false, []string{"Accept-Language", "de"}, []string{"Accept-Language", "en"}, []string{"Cache-Control", "max-age=60", "Vary", "accept-language"}},
		{"the same language", true, []string{"Accept-Language", "de, en"}, []string{"Accept-Language", "EN,de"}, []string{"Cache-Control", "max-age=60", "Vary", "accept-language"}},
		{"packed for who can unpack", false, []string{"Accept-Encoding", "gzip"}, nil, []string{"Cache-Control", "max-age=60", "Content-Encoding", "gzip"}},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFront(t, big, says(test.says...))
				f.get("/a", test.first...).is(t, "first", 200, "answer 1")
				time.Sleep(2 * time.Second)
				body, asked := "answer 2", 2
				if test.kept {
					body, asked = "answer 1", 1
				}
				f.get("/a", test.then...).is(t, "then", 200, body)
				if n := f.shop.asked(); n != asked {
					t.Errorf("the shop was asked %d times, want %d", n, asked)
				}
			})
		})
	}
}

// TestStatuses: which answers are kept, and for how long.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		cc     string
		kept   time.Duration // from then on it is not
	}{
		{200, "max-age=60", time.Minute}, {204, "max-age=60", time.Minute}, {301, "max-age=60", time.Minute}, {302, "max-age=60", time.Minute},
		{404, "max-age=60", time.Minute}, {404, "", 0}, {302, "", 0}, {206, "max-age=60", 0},
		{500, "max-age=3600", 10 * time.Second}, {503, "max-age=5", 5 * time.Second}, {500, "", 0},
		{299, "max-age=60", time.Minute}, {299, "max-age=60, must-understand", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
				if test.cc != "" {
					w.Header().Set("Cache-Control", test.cc)
				}
				w.WriteHeader(test.status)
			})
			want := 1
			f.get("/a")
			if test.kept > 0 {
				time.Sleep(test.kept - time.Second)
				f.get("/a").is(t, "kept", test.status, "")
				if n := f.shop.asked(); n != want {
					t.Errorf("%d, %s: asked %d times within its lifetime, want %d", test.status, test.cc, n, want)
				}
				time.Sleep(time.Second)
			}
			f.get("/a").is(t, "not kept", test.status, "")
			if n := f.shop.asked(); n != want+1 {
				t.Errorf("%d, %s: asked %d times after its lifetime, want %d", test.status, test.cc, n, want+1)
			}
		})
	}
}

// TestFieldsThatAreNotKept: what was meant for one hop or one client.
func TestFieldsThatAreNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
			for name, value := range map[string]string{
				"Connection": "X-Hop", "X-Hop": "1", "Keep-Alive": "timeout=5", "Proxy-Authenticate": "x",
				"X-Mine": "1", "X-Shop": "1", "Cache-Control": `max-age=60, private="x-mine", no-cache="x-other"`, "X-Other": "1",
			} {
				w.Header().Set(name, value)
			}
			_, _ = io.WriteString(w, "page")
		})
		f.get("/a").has(t, "first", "X-Mine", "1").has(t, "first", "X-Other", "1")
		kept := f.get("/a").is(t, "kept", 200, "page").has(t, "kept", "X-Shop", "1").has(t, "kept", "Cache-Status", "waitroom; hit")
		for _, name := range []string{"Connection", "X-Hop", "Keep-Alive", "Proxy-Authenticate", "X-Mine", "X-Other"} {
			kept.has(t, "kept", name, "")
		}
	})
}

// TestAge: an answer says how old it is, and when it was made.
func TestAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, says("Cache-Control", "max-age=600", "Age", "30"))
		made := f.get("/a").has(t, "fetched", "Age", "30").Header.Get("Date")
		time.Sleep(100 * time.Second)
		f.get("/a").has(t, "kept", "Age", "130").has(t, "kept", "Date", made)
	})
}

// TestOnlyIfCached: who wants nothing from the shop gets nothing from it.
func TestOnlyIfCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, says("Cache-Control", "max-age=60"))
		f.get("/a", "Cache-Control", "only-if-cached").is(t, "not kept", 504, "")
		f.get("/a").is(t, "fetched", 200, "answer 1")
		f.get("/a", "Cache-Control", "only-if-cached").is(t, "kept", 200, "answer 1")
	})
}

// TestChanged: what a request changes is fetched anew, and what it did not is not.
func TestChanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, method, target string
		status               int
		fields               []string // of the answer
		gone                 bool     // /a is
	}{
		{"POST", "POST", "/a", 200, nil, true},
		{"PUT", "PUT", "/a", 204, nil, true},
		{"DELETE and a redirect", "DELETE", "/a", 303, nil, true},
		{"a method of somebody's own", "FROB", "/a", 200, nil, true},
		{"it failed", "POST", "/a", 500, nil, false},
		{"it was refused", "POST", "/a", 422, nil, false},
		{"another target", "POST", "/b", 200, nil, false},
		{"another target that names it", "POST", "/b", 201, []string{"Location", "/a"}, true},
		{"relatively", "POST", "/b", 201, []string{"Content-Location", "a"}, true},
		{"absolutely", "POST", "/b", 201, []string{"Location", "https://" + host + "/a"}, true},
		{"at another host", "POST", "/b", 201, []string{"Location", "https://evil.example/a"}, false},
		{"OPTIONS", "OPTIONS", "/a", 200, nil, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			read := says("Cache-Control", "max-age=60")
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					read(w, r)
					return
				}
				for i := 0; i < len(test.fields); i += 2 {
					w.Header().Set(test.fields[i], test.fields[i+1])
				}
				w.WriteHeader(test.status)
			})
			f.get("/a").is(t, test.what, 200, "answer 1")
			time.Sleep(time.Second)
			f.do(request(test.method, test.target)).is(t, test.what, test.status, "")
			want := "answer 1"
			if test.gone {
				want = "answer 2"
			}
			f.get("/a").is(t, test.what, 200, want)
		})
	}
}

// TestChangedMeanwhile: what was asked for before a change is not kept after it.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := says("Cache-Control", "max-age=60")
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				time.Sleep(time.Second)
				read(w, r)
			}
		})
		early := make(chan got)
		go func() { early <- f.get("/a") }()
		time.Sleep(100 * time.Millisecond)
		f.do(request(http.MethodPost, "/a"))
		time.Sleep(time.Millisecond)
		late := make(chan got)
		go func() { late <- f.get("/a") }()
		(<-early).is(t, "asked before", 200, "answer 1")
		(<-late).is(t, "asked after, while that came", 200, "answer 2")
		f.get("/a").is(t, "asked after", 200, "answer 2")
		f.get("/a").is(t, "then", 200, "answer 2")
	})
}

// TestPurge: all, what begins with something, and one path.
func TestPurge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, says("Cache-Control", "max-age=60"))
		targets := []string{"/toys/a", "/toys/a?x=1", "/toys/b", "/c"}
		fill := func() {
			for _, target := range targets {
				f.get(target)
			}
		}
		for _, test := range []struct {
			what  string
			purge func(time.Time)
			want  int
		}{
			{"path", func(now time.Time) { f.cache.PurgePath("/toys/a", now) }, 2},
			{"prefix", func(now time.Time) { f.cache.Purge("/toys/", now) }, 3},
			{"all", func(now time.Time) { f.cache.Purge("", now) }, 4},
		} {
			fill()
			time.Sleep(time.Second)
			before := f.shop.asked()
			test.purge(time.Now())
			time.Sleep(time.Second)
			fill()
			if n := f.shop.asked() - before; n != test.want {
				t.Errorf("%s: %d were fetched anew, want %d", test.what, n, test.want)
			}
		}
		if held := f.cache.Held(); held < 4<<10 || held > 16<<10 {
			t.Errorf("four small answers hold %d bytes", held)
		}
		f.cache.Purge("", time.Now())
		if held := f.cache.Held(); held != 0 {
			t.Errorf("nothing holds %d bytes", held)
		}
	})
}
