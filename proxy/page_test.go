package proxy_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// golden is a product page worth packing.
var golden = "<html>" + strings.Repeat("golden toy, half price. ", 200) + "</html>"

func goldenPage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("X-Shop", "1")
	_, _ = io.WriteString(w, golden)
}

// TestPage: the product page comes from memory, for everyone, whole.
func TestPage(t *testing.T) {
	t.Parallel()
	s := play(t, plot{page: goldenPage})
	b := s.person()
	head := b.do(http.MethodHead, "/toys/golden", "").code(t, "HEAD, cold", http.StatusOK)
	get := b.get("/toys/golden?color=red").code(t, "GET", http.StatusOK).noCookie(t, "GET").head(t, "GET", "X-Shop", "1")
	if head.body != "" || head.ContentLength != int64(len(golden)) || get.body != golden {
		t.Errorf("HEAD has %d bytes and announces %d, GET has %d; want 0, %d and as many", len(head.body), head.ContentLength, len(get.body), len(golden))
	}
	etag := get.Header.Get("Etag")
	if !strings.HasPrefix(etag, `"`) || head.Header.Get("Etag") != etag {
		t.Errorf("Etag is %q, of HEAD %q; want one strong tag", etag, head.Header.Get("Etag"))
	}
	b.get("/toys/golden/", "Cookie", "session=alice", "Authorization", "Basic eDp5").code(t, "as somebody", http.StatusOK)
	for _, state := range []string{"Sec-Purpose", "Purpose"} {
		b.get("/toys/golden", state, "prefetch").code(t, state, http.StatusOK).noCookie(t, state)
	}
	if n := s.shop.asked("/toys/golden"); n != 1 {
		t.Errorf("the origin was asked %d times, want once", n)
	}
	if seen := s.shop.seen[0]; seen.Host != host || seen.Header.Get("Cookie") != "" || seen.Header.Get("Authorization") != "" {
		t.Errorf("the origin was asked for %s with %v", seen.Host, seen.Header)
	}
}

// TestPageConditions: 304 to whoever has the very form that would be sent.
func TestPageConditions(t *testing.T) {
	t.Parallel()
	s := play(t, plot{page: goldenPage})
	b := s.browser()
	plain := b.get("/toys/golden")
	packed := b.get("/toys/golden", "Accept-Encoding", "gzip, br;q=0.5").head(t, "packed", "Content-Encoding", "gzip").head(t, "packed", "Vary", "Accept-Encoding")
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(z); err != nil || string(all) != golden {
		t.Errorf("unpacked %d bytes, %v; want the page", len(all), err)
	}
	if head := b.do(http.MethodHead, "/toys/golden", "", "Accept-Encoding", "gzip"); head.ContentLength != int64(len(packed.body)) || packed.ContentLength != head.ContentLength {
		t.Errorf("packed: HEAD announces %d, GET %d; want %d", head.ContentLength, packed.ContentLength, len(packed.body))
	}
	b.get("/toys/golden", "Accept-Encoding", "gzip;q=0").head(t, "gzip refused", "Content-Encoding", "").head(t, "gzip refused", "Vary", "Accept-Encoding")
	tag, packedTag := plain.Header.Get("Etag"), packed.Header.Get("Etag")
	if tag == packedTag {
		t.Errorf("both forms have the tag %s", tag)
	}
	for _, test := range []struct {
		accept, match string
		want          int
	}{
		{"", tag, 304}, {"", `"x", ` + tag, 304}, {"", "W/" + tag, 304}, {"", "*", 304}, {"", packedTag, 200}, {"", `"x"`, 200},
		{"gzip", packedTag, 304}, {"gzip", tag, 200},
	} {
		what := fmt.Sprintf("accepts %q, has %s", test.accept, test.match)
		r := b.get("/toys/golden", "Accept-Encoding", test.accept, "If-None-Match", test.match).code(t, what, test.want).head(t, what, "Vary", "Accept-Encoding")
		if test.want == 304 && (r.body != "" || r.Header.Get("Etag") == "" || r.Header.Get("Cache-Control") == "") {
			t.Errorf("%s: the 304 has %d bytes and %v", what, len(r.body), r.Header)
		}
	}
}

// TestPageRanges: parts are of the whole, also when the cache is cold.
func TestPageRanges(t *testing.T) {
	t.Parallel()
	s := play(t, plot{page: goldenPage, doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour})
	b := s.browser()
	end := len(golden) - 1
	for _, test := range []struct {
		ranges, ifRange string
		code            int
		body, content   string
	}{
		{"bytes=0-99", "", 206, golden[:100], fmt.Sprintf("bytes 0-99/%d", len(golden))},
		{"", "", 200, golden, ""},
		{"bytes=0-0", "", 206, golden[:1], fmt.Sprintf("bytes 0-0/%d", len(golden))},
		{"bytes=-5", "", 206, golden[end-4:], fmt.Sprintf("bytes %d-%d/%d", end-4, end, len(golden))},
		{"bytes=999999-", "", 416, "", fmt.Sprintf("bytes */%d", len(golden))},
		{"bytes=0-9", `"old"`, 200, golden, ""},
		{"bytes=" + strings.Repeat("0-,", 200) + "0-", "", 200, golden, ""},
	} {
		fields := []string{"Range", test.ranges, "If-Range", test.ifRange}
		if test.ifRange == "" {
			fields = fields[:2]
		}
		r := b.get("/toys/golden", fields...).code(t, test.ranges, test.code).head(t, test.ranges, "Content-Range", test.content)
		if test.body != "" && r.body != test.body {
			t.Errorf("%.40s: got %d bytes, want %d", test.ranges, len(r.body), len(test.body))
		}
	}
}

// TestPageForOne: what is somebody's own is nobody else's.
func TestPageForOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status       int
		field, value string
	}{
		"private": {200, "Cache-Control", "private"}, "no-store": {200, "Cache-Control", "no-store"},
		"no-cache": {200, "Cache-Control", "no-cache"}, "max-age=0": {200, "Cache-Control", "max-age=0"},
		"s-maxage=0": {200, "Cache-Control", "s-maxage=0, max-age=60"}, "private and max-age": {200, "Cache-Control", "max-age=60, private"},
		"vary all": {200, "Vary", "*"}, "vary cookie": {200, "Vary", "Accept-Encoding, Cookie"}, "sets a cookie": {200, "Set-Cookie", "a=1"},
		"expired": {200, "Expires", "0"}, "long ago": {200, "Expires", "Thu, 01 Jan 1970 00:00:00 GMT"},
		"packed unasked": {200, "Content-Encoding", "gzip"}, "moved": {302, "Location", "/login"}, "gone": {404, "X-A", "1"},
		"part": {206, "Content-Range", "bytes 0-1/9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{page: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(test.field, test.value)
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, "for "+r.Header.Get("Cookie"))
			}})
			for _, who := range []string{"a=1", "a=2", "a=3"} {
				r := s.browser().get("/toys/golden", "Cookie", who).code(t, who, test.status).head(t, who, test.field, test.value)
				if r.body != "for "+who {
					t.Errorf("%s gets what is %s", who, r.body)
				}
			}
		})
	}
}

// TestPageWhileTheOriginIsAway: errors are not stored, and what was stored serves on while
// the origin is away.
func TestPageWhileTheOriginIsAway(t *testing.T) {
	t.Parallel()
	const whole, broken, hanging = 0, 1, 2
	var how atomic.Int64
	var under, most atomic.Int64
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	s := play(t, plot{page: func(w http.ResponseWriter, r *http.Request) {
		if n := under.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer under.Add(-1)
		switch how.Load() {
		case hanging:
			asked <- struct{}{}
			select {
			case <-answer:
			case <-r.Context().Done():
			}
			w.WriteHeader(http.StatusInternalServerError)
		case broken:
			asked <- struct{}{}
			w.WriteHeader(http.StatusInternalServerError)
		default:
			w.Header().Set("Cache-Control", "max-age=1")
			_, _ = io.WriteString(w, "page")
		}
	}})
	b := s.browser()
	serves := func(while string) {
		t.Helper()
		for range 10 {
			if r := b.get("/toys/golden"); r.StatusCode != http.StatusOK || r.body != "page" {
				t.Fatalf("while the origin %s: %d %s", while, r.StatusCode, r.body)
			}
		}
	}
	serves("is whole")
	how.Store(hanging)
	<-asked         // by the ticker: the page is stale
	serves("hangs") // it has no answer before these have theirs
	how.Store(broken)
	close(answer)
	<-asked
	<-asked
	serves("is broken")
	if most.Load() != 1 {
		t.Errorf("%d requests at once were at the origin, want 1", most.Load())
	}
	how.Store(whole)
	s.until("a fresh page", func() bool { return b.get("/toys/golden").Header.Get("Age") == "0" })
}

// TestPageErrorIsNotStored: a cold cache and a broken origin.
func TestPageErrorIsNotStored(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 502, 503, 429, 408} {
		var whole atomic.Bool
		s := play(t, plot{page: func(w http.ResponseWriter, r *http.Request) {
			if !whole.Load() {
				w.WriteHeader(status)
			}
			_, _ = io.WriteString(w, "page")
		}})
		s.person().get("/toys/golden").code(t, "broken", http.StatusBadGateway).head(t, "broken", "Cache-Control", "no-store")
		whole.Store(true)
		s.browser().get("/toys/golden").code(t, "whole", http.StatusOK)
	}
}

// TestPageIsFetchedOnce: a crowd on a cold cache is one request to the origin.
func TestPageIsFetchedOnce(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	s := play(t, plot{page: func(w http.ResponseWriter, r *http.Request) {
		<-begin
		goldenPage(w, r)
	}})
	b := s.browser()
	var crowd sync.WaitGroup
	var got sync.Map
	for i := range 200 {
		crowd.Go(func() {
			r, err := b.send(pageRequest())
			got.Store(i, err == nil && r.StatusCode == http.StatusOK && r.body == golden)
		})
	}
	time.AfterFunc(200*time.Millisecond, func() { close(begin) })
	crowd.Wait()
	for i := range 200 {
		if ok, _ := got.Load(i); ok != true {
			t.Fatalf("request %d did not get the page", i)
		}
	}
	if n := s.shop.asked("/toys/golden"); n != 1 {
		t.Errorf("the origin was asked %d times, want once", n)
	}
}

// TestPageIsNotFetchedWhenTheEdgeHasEnded: what the ticker has begun ends with
// it, however slow the origin is.
func TestPageIsNotFetchedWhenTheEdgeHasEnded(t *testing.T) {
	t.Parallel()
	asked, gone := make(chan struct{}), make(chan struct{})
	s := play(t, plot{page: func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(gone)
	}})
	<-asked
	begun := time.Now()
	s.leave()
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("ending the edge took %v, want it not to wait for the origin", took)
	}
	<-gone
}

// TestPageOfWhoHasLeft: the fetch that a shopper began serves the next one, also
// when the first has gone.
func TestPageOfWhoHasLeft(t *testing.T) {
	t.Parallel()
	asked, begin := make(chan struct{}), make(chan struct{})
	s := play(t, plot{doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour, page: func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-begin
		goldenPage(w, r)
	}})
	s.leave() // so that nobody but shoppers fetches
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-asked; leave() }()
	if r, err := s.browser().send(pageRequest().WithContext(ctx)); err == nil {
		t.Fatalf("who left got %d", r.StatusCode)
	}
	time.AfterFunc(200*time.Millisecond, func() { close(begin) })
	if r := s.browser().get("/toys/golden").code(t, "the next", http.StatusOK); r.body != golden {
		t.Errorf("the next got %d bytes, want the page", len(r.body))
	}
	if n := s.shop.asked("/toys/golden"); n != 1 {
		t.Errorf("the origin was asked %d times, want once", n)
	}
}

func pageRequest() *http.Request {
	req, _ := http.NewRequest(http.MethodGet, "https://"+host+"/toys/golden", bytes.NewReader(nil))
	return req
}

// TestPagePurge: after a purge the page is fetched anew.
func TestPagePurge(t *testing.T) {
	t.Parallel()
	var version atomic.Int64
	s := play(t, plot{page: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = fmt.Fprint(w, "version ", version.Load())
	}})
	b := s.browser()
	if r := b.get("/toys/golden"); r.body != "version 0" {
		t.Fatalf("got %s", r.body)
	}
	version.Store(1)
	if r := b.get("/toys/golden"); r.body != "version 0" {
		t.Errorf("before the purge: got %s, want version 0", r.body)
	}
	s.admin(http.MethodPost, "/v1/cache/purge", "", token).code(t, "purge", http.StatusOK)
	if r := b.get("/toys/golden"); r.body != "version 1" {
		t.Errorf("after the purge: got %s, want version 1", r.body)
	}
}
