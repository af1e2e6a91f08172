package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestCache: what the origin says may be kept for everybody comes from memory, and
// whoever shows something of their own gets what is theirs.
func TestCache(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", map[string]string{"/style.css": "public, max-age=60", "/": "max-age=60", "/account": "private"}[r.URL.Path])
		_, _ = fmt.Fprintf(w, "%s for %q, %d", r.URL.Path, r.Header.Get("Cookie"), served.Add(1))
	}})
	style := s.browser().get("/style.css").code(t, "cold", 200).body
	s.person().get("/style.css", "Cookie", "session=ann").code(t, "public, with a cookie", 200).head(t, "kept", "Cache-Status", "waitroom; hit").noCookie(t, "kept")
	if again := s.browser().get("/style.css", "Cookie", "session=ann").body; again != style {
		t.Errorf("got %s, want %s", again, style)
	}
	for _, path := range []string{"/", "/account"} {
		for _, who := range []string{"session=ann", "session=bob"} {
			if r := s.browser().get(path, "Cookie", who); !strings.Contains(r.body, fmt.Sprintf("%q", who)) {
				t.Errorf("%s with %s: got %s", path, who, r.body)
			}
		}
	}
	home := s.browser().get("/").body
	if again := s.browser().get("/").body; again != home {
		t.Errorf("who shows nothing got %s, then %s", home, again)
	}
	s.until("the records", func() bool { return strings.Contains(s.log.text(), `"decision":"cache"`) })
}

// TestCacheOff: product pages and nothing else.
func TestCacheOff(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "cache: off\n", page: goldenPage, shop: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=60")
	}})
	b := s.browser()
	for range 3 {
		b.get("/style.css").code(t, "style", 200)
		b.get("/toys/golden").code(t, "page", 200)
	}
	if style, page := s.shop.asked("/style.css"), s.shop.asked("/toys/golden"); style != 3 || page != 1 {
		t.Errorf("the origin was asked %d times for the style and %d for the page, want 3 and 1", style, page)
	}
}

// TestAssetsAreWarmed: what belongs to the product page is there before anybody
// asks for it.
func TestAssetsAreWarmed(t *testing.T) {
	t.Parallel()
	const page = `<html><head><link rel="stylesheet" href="/style.css?v=1"><link rel="icon" href="icon.png"><script src="//` + host + `/app.js"></script>
<script src="https://elsewhere.example/x.js"></script></head><body><img srcset="/small.jpg 1x, /large.jpg 2x" src="/small.jpg"><a href="/other">more</a></body></html>`
	want := []string{"/style.css", "/toys/icon.png", "/app.js", "/small.jpg", "/large.jpg"}
	s := play(t, plot{
		doors: time.Minute, opens: time.Hour, closes: 2 * time.Hour,
		page: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) },
		shop: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=600")
			w.Header().Set("Content-Type", "text/css")
			_, _ = io.WriteString(w, r.URL.Path)
		},
	})
	s.until("warm assets", func() bool {
		for _, path := range want {
			if s.shop.asked(path) == 0 {
				return false
			}
		}
		return true
	})
	b := s.browser()
	for _, path := range []string{"/style.css?v=1", "/toys/icon.png", "/app.js", "/small.jpg", "/large.jpg"} {
		b.get(path, "Accept-Encoding", "gzip, deflate, br, zstd").code(t, path, 200).head(t, path, "Cache-Status", "waitroom; hit")
	}
	if s.shop.asked("/other")+s.shop.asked("/x.js") != 0 {
		t.Error("what does not belong to the page was asked for")
	}
}

// TestOriginWithACache: an origin that says of its own cache what ours would say is
// no less the origin.
func TestOriginWithACache(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Status", "waitroom; hit") }})
	s.browser().get("/style.css").code(t, "style", 200).head(t, "style", "Cache-Status", "waitroom; hit")
	s.until("the record", func() bool { return strings.Contains(s.log.text(), `"path":"/style.css"`) })
	if strings.Contains(s.log.text(), `"decision":"cache"`) {
		t.Error("what the origin answered is recorded as the cache's")
	}
}

// TestHostIsNotTheCrowds: who writes another port gets the page of that, and nobody
// else does.
func TestHostIsNotTheCrowds(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=600")
		_, _ = fmt.Fprintf(w, "<a href=https://%s/>", r.Host)
	}})
	b := s.browser()
	for _, test := range []struct{ says, want string }{
		{host + ":666", host + ":666"}, {host + ".", host + "."}, {host, host}, {strings.ToUpper(host), host}, {host + ":443", host}, {host + ":666", host + ":666"},
	} {
		req, err := http.NewRequest(http.MethodGet, "https://"+host+"/all", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = test.says
		r, err := b.send(req)
		if err != nil {
			t.Fatal(err)
		}
		if r.code(t, test.says, 200); r.body != "<a href=https://"+test.want+"/>" {
			t.Errorf("%s: got %s, want the link of %s", test.says, r.body, test.want)
		}
	}
}

// TestPageThatIsNotForAllIsSaid: once in the log, however often it is asked for.
func TestPageThatIsNotForAllIsSaid(t *testing.T) {
	t.Parallel()
	s := play(t, plot{page: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Set-Cookie", "a=1") }})
	b := s.browser()
	const said = "product page reaches the origin each time"
	s.until("a word in the log", func() bool {
		b.get("/toys/golden").code(t, "page", 200)
		return strings.Contains(s.log.text(), said)
	})
	if n := strings.Count(s.log.text(), said); n != 1 || !strings.Contains(s.log.text(), "it sets a cookie") {
		t.Errorf("it is said %d times, and why: %v", n, strings.Contains(s.log.text(), "it sets a cookie"))
	}
}

// TestPurgePath: one path, or what begins alike, and no other.
func TestPurgePath(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "public, max-age=600") }, page: goldenPage})
	b := s.browser()
	paths := []string{"/css/a", "/css/b?x=1", "/js/a", "/toys/golden"}
	count := func() (n []int) {
		for _, path := range paths {
			b.get(path).code(t, path, 200)
			plain, _, _ := strings.Cut(path, "?")
			n = append(n, s.shop.asked(plain))
		}
		return n
	}
	for _, test := range []struct{ body, says, want string }{
		{"", "", "[1 1 1 1]"}, {`{"path":"/css/b"}`, "/css/b: 1 forgotten", "[1 2 1 1]"}, {`{"path":"/css/*"}`, "/css/*: 2 forgotten", "[2 3 1 1]"},
		{`{"path":"/toys/golden"}`, "/toys/golden: 1 forgotten", "[2 3 1 2]"}, {`{"path":"/*"}`, "/*: 4 forgotten", "[3 4 2 3]"},
		{`{"path":"/nothing"}`, "/nothing: 0 forgotten", "[3 4 2 3]"},
	} {
		if test.body != "" {
			r := s.admin(http.MethodPost, "/v1/cache/purge", test.body, token).code(t, test.body, 200)
			if !strings.Contains(r.body, `"`+test.says+`"`) {
				t.Errorf("%s: got %s, want %s", test.body, r.body, test.says)
			}
		}
		if got := fmt.Sprint(count()); got != test.want {
			t.Errorf("after %s: asked %s times, want %s", test.body, got, test.want)
		}
	}
	for _, bad := range []string{`{"path":"css"}`, `{"path":"/a?b"}`, `{"path":"/*.css"}`, `{"path":"/css/**"}`, `{"path":1}`, `{"paths":"/"}`, `{"path":""}`} {
		s.admin(http.MethodPost, "/v1/cache/purge", bad, token).code(t, bad, 400)
	}
}

// TestCacheUnderACrowd: with real connections, a page that expires under many
// clients is one request at a time at the origin.
func TestCacheUnderACrowd(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	s := play(t, plot{shop: func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		time.Sleep(50 * time.Millisecond)
		w.Header().Set("Cache-Control", "public, max-age=1")
		_, _ = io.WriteString(w, golden)
	}})
	var crowd sync.WaitGroup
	until := time.Now().Add(4 * time.Second)
	for range 20 {
		b := s.browser()
		crowd.Go(func() {
			for time.Now().Before(until) {
				if r := b.get("/all"); r.StatusCode != 200 || r.body != golden {
					t.Errorf("got %d, %d bytes", r.StatusCode, len(r.body))
				}
			}
		})
	}
	crowd.Wait()
	if n := s.shop.asked("/all"); most.Load() != 1 || n > 8 {
		t.Errorf("the origin was asked %d times, %d at once; want at most 8, one at once", n, most.Load())
	}
}
