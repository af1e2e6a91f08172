package cache_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const digits = "0123456789"

// TestHead: a HEAD is answered from a stored GET and never the other way round.
func TestHead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Content-Length", "10")
			w.Header().Set("X-Method", r.Method)
			_, _ = io.WriteString(w, digits)
		})
		head := func(what, method string) {
			t.Helper()
			g := f.do(request(http.MethodHead, "/a")).is(t, what, 200, "").has(t, what, "X-Method", method).has(t, what, "Content-Length", "10")
			if g.ContentLength != 10 {
				t.Errorf("%s: announces %d", what, g.ContentLength)
			}
		}
		head("cold", "HEAD")
		f.get("/a").is(t, "GET", 200, digits).has(t, "GET", "X-Method", "GET")
		head("warm", "GET")
		if n := f.shop.asked(); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
	})
}

// TestHeadRefreshes: what a HEAD says of what is kept counts: still good, or gone.
func TestHeadRefreshes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what   string
		length string
		kept   bool
	}{{"the same", "10", true}, {"another length", "11", false}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60")
				w.Header().Set("Content-Length", "10")
				if r.Method == http.MethodHead {
					w.Header().Set("Content-Length", test.length)
					w.Header().Set("X-News", "1")
				}
				_, _ = io.WriteString(w, digits)
			})
			f.get("/a")
			time.Sleep(61 * time.Second)
			f.do(request(http.MethodHead, "/a")).is(t, test.what, 200, "")
			g := f.get("/a").is(t, test.what, 200, digits)
			if fromCache := f.shop.asked() == 2; fromCache != test.kept || fromCache && g.Header.Get("X-News") != "1" {
				t.Errorf("%s: asked %d times, then got %v", test.what, f.shop.asked(), g.Header)
			}
		})
	}
}

// TestValidated: what is stale and has something to be known by is asked for news
// alone, once for all, and lives on with what the shop says now.
func TestValidated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var news atomic.Int64
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Etag", `"v1"`)
			w.Header().Set("X-Times", fmt.Sprint(news.Add(1)))
			time.Sleep(time.Second)
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.Header().Set("Content-Length", "99") // about another body: not taken over
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, "page")
		})
		f.get("/a")
		for round := range 3 {
			time.Sleep(61 * time.Second)
			for _, g := range f.crowd(50, "/a") {
				g.is(t, "renewed", 200, "page").has(t, "renewed", "X-Times", fmt.Sprint(round+2)).has(t, "renewed", "Content-Length", "4")
			}
			f.get("/a", "If-None-Match", `"v1"`).is(t, "has it", 304, "")
		}
		if n := f.shop.asked(); n != 4 {
			t.Errorf("asked %d times, want 4", n)
		}
	})
}

// TestNoCache: what must be validated each time is, for each client alone.
func TestNoCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("Etag", `"v1"`)
			time.Sleep(time.Second)
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, "page")
		})
		f.get("/a").is(t, "first", 200, "page")
		for _, g := range f.crowd(5, "/a") {
			g.is(t, "then", 200, "page")
		}
		if n := f.shop.asked(); n != 6 {
			t.Errorf("asked %d times, want 6: each for itself", n)
		}
	})
}

// TestTurnedPrivate: what was for all and is not any more is shown to nobody else.
func TestTurnedPrivate(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"200", "304"} {
		synctest.Test(t, func(t *testing.T) {
			var private atomic.Bool
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Etag", `"v1"`)
				if !private.Load() {
					w.Header().Set("Cache-Control", "max-age=60, stale-if-error=600")
					_, _ = io.WriteString(w, "page")
					return
				}
				w.Header().Set("Cache-Control", "private")
				w.Header().Set("Set-Cookie", "who="+r.Header.Get("X-Who"))
				time.Sleep(time.Second)
				if how == "304" {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				_, _ = io.WriteString(w, "page")
			})
			f.get("/a").is(t, "for all", 200, "page")
			private.Store(true)
			time.Sleep(61 * time.Second)
			done := make(chan got)
			for _, who := range []string{"ann", "bob", "cyd"} {
				go func() {
					done <- f.get("/a", "X-Who", who).has(t, how+" for "+who, "Set-Cookie", "who="+who)
				}()
			}
			for range 3 {
				<-done
			}
		})
	}
}

// TestVariants: several answers of one target, as many as are kept.
func TestVariants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Vary", "X-Kind")
			_, _ = io.WriteString(w, r.Header.Get("X-Kind"))
		})
		for round := range 2 {
			for i := range 16 {
				kind := fmt.Sprint("kind ", i)
				f.get("/a", "X-Kind", kind).is(t, kind, 200, kind)
			}
			if n := f.shop.asked(); n != 16 {
				t.Errorf("round %d: asked %d times, want 16", round, n)
			}
		}
		held := f.cache.Held()
		for i := range 100 {
			f.get("/a", "X-Kind", fmt.Sprint("more ", i))
		}
		if now := f.cache.Held(); now > held+1000 {
			t.Errorf("more variants hold %d bytes, want about %d", now, held)
		}
	})
}

// TestConditions: 304 to whoever has what would be sent.
func TestConditions(t *testing.T) {
	t.Parallel()
	const changed, later, earlier = "Sat, 01 Jan 2000 00:00:00 GMT", "Sat, 01 Jan 2000 00:00:01 GMT", "Fri, 31 Dec 1999 23:59:59 GMT"
	for _, test := range []struct {
		tag    string
		fields []string
		want   int
	}{
		{`"a"`, []string{"If-None-Match", `"a"`}, 304},
		{`"a"`, []string{"If-None-Match", `W/"a"`}, 304},
		{`W/"a"`, []string{"If-None-Match", `"a"`}, 304},
		{`"a"`, []string{"If-None-Match", `"b", "a,b" ,"a"`}, 304},
		{`"a"`, []string{"If-None-Match", `"b"`, "If-None-Match", `"a"`}, 304},
		{`"a"`, []string{"If-None-Match", `"b, "a"`}, 200},
		{`"a"`, []string{"If-None-Match", `*`}, 304},
		{`"a"`, []string{"If-None-Match", `"b"`}, 200},
		{`"a"`, []string{"If-None-Match", `"b"`, "If-Modified-Since", changed}, 200},
		{``, []string{"If-None-Match", `""`}, 200},
		{``, []string{"If-Modified-Since", changed}, 304},
		{``, []string{"If-Modified-Since", later}, 304},
		{``, []string{"If-Modified-Since", earlier}, 200},
		{``, []string{"If-Modified-Since", "yesterday"}, 200},
	} {
		synctest.Test(t, func(t *testing.T) {
			fields := []string{"Cache-Control", "max-age=60", "Last-Modified", changed, "Content-Language", "en", "Vary", "X-Kind"}
			if test.tag != "" {
				fields = append(fields, "Etag", test.tag)
			}
			f := newFront(t, big, says(fields...))
			f.get("/a")
			what := fmt.Sprintf("%s, %v", test.tag, test.fields)
			g := f.get("/a", test.fields...)
			if g.StatusCode != test.want || f.shop.asked() != 1 {
				t.Errorf("%s: got %d after %d questions, want %d after one", what, g.StatusCode, f.shop.asked(), test.want)
			}
			if test.want == 304 {
				g.is(t, what, 304, "").has(t, what, "Etag", test.tag).has(t, what, "Vary", "X-Kind").has(t, what, "Cache-Control", "max-age=60").
					has(t, what, "Content-Language", "").has(t, what, "Content-Length", "")
			}
		})
	}
}

// TestRanges: parts of what is kept.
func TestRanges(t *testing.T) {
	t.Parallel()
	const changed = "Mon, 01 Jan 1990 00:00:00 GMT"
	for _, test := range []struct {
		ranges, ifRange string
		status          int
		body, content   string
	}{
		{"bytes=0-2", "", 206, "012", "bytes 0-2/10"},
		{"Bytes=9-", "", 206, "9", "bytes 9-9/10"},
		{"bytes=8-99", "", 206, "89", "bytes 8-9/10"},
		{"bytes=-3", "", 206, "789", "bytes 7-9/10"},
		{"bytes=-99", "", 206, digits, "bytes 0-9/10"},
		{"bytes=10-", "", 416, "", "bytes */10"},
		{"bytes=-0", "", 416, "", "bytes */10"},
		{"bytes=99999999999999999999-", "", 416, "", "bytes */10"},
		{"bytes=3-2", "", 200, digits, ""},
		{"bytes=a-2", "", 200, digits, ""},
		{"bytes=", "", 200, digits, ""},
		{"lines=0-2", "", 200, digits, ""},
		{"bytes=0-,0-", "", 200, digits, ""},
		{"bytes=0-0" + strings.Repeat(",1-0", 100), "", 200, digits, ""},
		{"bytes=0-2", `"a"`, 206, "012", "bytes 0-2/10"},
		{"bytes=0-2", `W/"a"`, 200, digits, ""},
		{"bytes=0-2", `"b"`, 200, digits, ""},
		{"bytes=0-2", changed, 206, "012", "bytes 0-2/10"},
		{"bytes=0-2", "Mon, 01 Jan 1990 00:00:01 GMT", 200, digits, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60")
				w.Header().Set("Etag", `"a"`)
				w.Header().Set("Last-Modified", changed)
				_, _ = io.WriteString(w, digits)
			})
			f.get("/a")
			fields := []string{"Range", test.ranges}
			if test.ifRange != "" {
				fields = append(fields, "If-Range", test.ifRange)
			}
			what := fmt.Sprintf("%.40s if %s", test.ranges, test.ifRange)
			g := f.get("/a", fields...).is(t, what, test.status, test.body).has(t, what, "Content-Range", test.content).
				has(t, what, "Content-Length", fmt.Sprint(len(test.body)))
			if g.ContentLength != int64(len(test.body)) || f.shop.asked() != 1 {
				t.Errorf("%s: announces %d, asked %d times", what, g.ContentLength, f.shop.asked())
			}
		})
	}
}

// TestRangesAtOnce: several parts in one body.
func TestRangesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, says("Cache-Control", "max-age=60", "Content-Type", "text/x-page"))
		f.get("/a")
		g := f.get("/a", "Range", "bytes=0-1, 4-5 ,-1")
		if g.StatusCode != 206 || g.ContentLength != int64(len(g.body)) {
			t.Fatalf("got %d, announces %d of %d bytes", g.StatusCode, g.ContentLength, len(g.body))
		}
		_, params, err := mime.ParseMediaType(g.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		parts := multipart.NewReader(strings.NewReader(g.body), params["boundary"])
		for _, want := range []struct{ body, content string }{{"an", "bytes 0-1/8"}, {"er", "bytes 4-5/8"}, {"1", "bytes 7-7/8"}} {
			p, err := parts.NextPart()
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(p)
			if string(body) != want.body || p.Header.Get("Content-Range") != want.content || p.Header.Get("Content-Type") != "text/x-page" {
				t.Errorf("got %q with %v, want %+v", body, p.Header, want)
			}
		}
	})
}

// TestPartIsNotTheWhole: what the shop sends in part is never taken for the whole.
func TestPartIsNotTheWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			if r.Header.Get("Range") == "" {
				_, _ = io.WriteString(w, digits)
				return
			}
			w.Header().Set("Content-Range", "bytes 0-2/10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "012")
		})
		f.get("/a", "Range", "bytes=0-2").is(t, "cold", 206, "012")
		f.get("/a").is(t, "whole", 200, digits)
		f.get("/a", "Range", "bytes=0-2").is(t, "warm", 206, "012")
		if n := f.shop.asked(); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
	})
}

// text is worth packing.
var text = strings.Repeat("a golden toy, half price. ", 200)

// TestPacked: texts are packed once, in the background, for whoever likes that.
func TestPacked(t *testing.T) {
	t.Parallel()
	f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Header().Set("Etag", `"a"`)
		if r.URL.Path == "/plain" {
			w.Header().Set("Cache-Control", "max-age=60, no-transform")
		}
		_, _ = io.WriteString(w, text)
	})
	go f.cache.Run(t.Context())
	f.get("/a", "Accept-Encoding", "br").is(t, "first", 200, text)
	f.get("/a", "Accept-Encoding", "br")
	for f.get("/a", "Accept-Encoding", "gzip").Header.Get("Content-Encoding") == "" {
		time.Sleep(time.Millisecond)
	}
	tags := map[string]bool{}
	for _, test := range []struct{ accept, coding string }{
		{"", ""}, {"identity", ""}, {"gzip;q=0", ""}, {"gzip, br;q=0", "gzip"}, {"x-gzip", "gzip"}, {"*", "br"}, {"*;q=0.1, zstd", "zstd"},
		{"gzip, deflate, br, zstd", "br"}, {"gzip;q=0.9, br;q=0.5", "gzip"}, {"identity, gzip;q=0.5", ""}, {"identity;q=0.1, gzip;q=0.5", "gzip"},
		{"identity;q=0", ""}, {"identity;q=0, gzip", "gzip"}, {"GZIP", "gzip"}, {"gzip;q=2", ""}, {"deflate", ""},
	} {
		g := f.get("/a", "Accept-Encoding", test.accept).has(t, test.accept, "Content-Encoding", test.coding).
			has(t, test.accept, "Vary", "Accept-Encoding").has(t, test.accept, "Content-Length", fmt.Sprint(g(f, test.accept)))
		if got := unpack(t, test.coding, g.body); got != text {
			t.Errorf("%s: unpacked to %d bytes, want %d", test.accept, len(got), len(text))
		}
		tags[g.Header.Get("Etag")] = true
		f.get("/a", "Accept-Encoding", test.accept, "If-None-Match", g.Header.Get("Etag")).is(t, test.accept, 304, "")
		f.get("/a", "Accept-Encoding", test.accept, "Range", "bytes=0-7").is(t, test.accept, 206, "a golden").has(t, test.accept, "Content-Encoding", "")
	}
	if len(tags) != 4 {
		t.Errorf("four forms have %d tags: %v", len(tags), tags)
	}
	f.get("/a", "Accept-Encoding", "gzip", "Cache-Control", "no-transform").is(t, "not to be changed", 200, text)
	f.get("/plain", "Accept-Encoding", "gzip")
	f.get("/plain", "Accept-Encoding", "gzip").is(t, "not to be changed", 200, text).has(t, "not to be changed", "Vary", "")
	if n := f.shop.asked(); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
}

// g is how long the form for who accepts something is.
func g(f *front, accept string) int { return len(f.get("/a", "Accept-Encoding", accept).body) }

func unpack(t *testing.T, coding, body string) string {
	t.Helper()
	in := io.Reader(strings.NewReader(body))
	switch coding {
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		in = z
	case "br":
		in = brotli.NewReader(in)
	case "zstd":
		z, err := zstd.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		in = z
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(in); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
