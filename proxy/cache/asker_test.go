package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
)

// TestOneAskersFailureIsTheirs: a request that makes the shop fail, or keeps it
// waiting, or is refused, costs others no more than a moment, however often it comes.
func TestOneAskersFailureIsTheirs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what string
		bad  http.HandlerFunc
		most time.Duration
	}{
		{"fails", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(200 * time.Millisecond)
			w.WriteHeader(http.StatusInternalServerError)
		}, time.Second},
		{"breaks off", func(http.ResponseWriter, *http.Request) {
			time.Sleep(200 * time.Millisecond)
			panic(http.ErrAbortHandler)
		}, time.Second},
		{"is refused", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(200 * time.Millisecond)
			w.WriteHeader(http.StatusForbidden)
		}, time.Second},
		{"is slow", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(40 * time.Second):
			case <-r.Context().Done():
			}
		}, 4 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Boom") != "" || r.Header.Get("Cookie") != "" {
					test.bad(w, r)
					return
				}
				w.Header().Set("Cache-Control", "s-maxage=1")
				time.Sleep(100 * time.Millisecond)
				_, _ = io.WriteString(w, "page")
			})
			f.get("/a").is(t, test.what, 200, "page")
			over := make(chan struct{})
			for range 5 {
				go func() {
					for {
						select {
						case <-over:
							return
						case <-time.After(time.Millisecond):
							f.get("/a", "X-Boom", "1", "Cookie", "s=slow")
						}
					}
				}()
			}
			for range 100 {
				begun := time.Now()
				f.get("/a").is(t, test.what, 200, "page")
				if took := time.Since(begun); took > test.most {
					t.Errorf("%s: others waited %v, want %v at most", test.what, took, test.most)
				}
				time.Sleep(50 * time.Millisecond)
			}
			close(over)
			if f.shop.most > 2 {
				t.Errorf("%s: %d questions at once, want 2 at most", test.what, f.shop.most)
			}
			time.Sleep(time.Minute)
		})
	}
}

// TestAskedForNobody: the question in the place of one that failed carries nothing
// that its asker alone said, and what comes of it is for whom it would be anyway.
func TestAskedForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Cache-Control", "max-age=1")
			w.Header().Set("Vary", "X-Kind")
			_, _ = io.WriteString(w, r.Header.Get("X-Kind")+r.Header.Get("Cookie")+r.Header.Get("X-Odd"))
		})
		f.get("/a", "X-Kind", "k").is(t, "first", 200, "k")
		time.Sleep(2 * time.Second)
		away.Store(true)
		f.get("/a", "X-Kind", "k")
		away.Store(false)
		f.get("/a", "X-Kind", "k", "X-Odd", "1").is(t, "after a failure", 200, "k")
		time.Sleep(2 * time.Second)
		f.get("/a", "X-Kind", "k", "Cookie", "c").is(t, "who has a cookie", 200, "kc")
	})
}

// TestBareShowsNobody: also where the answers are chosen by cookies, none goes along.
func TestBareShowsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Cache-Control", "public, max-age=1")
			w.Header().Set("Vary", "Cookie, Authorization, Waitroom-Account")
			_, _ = io.WriteString(w, "for "+r.Header.Get("Cookie"))
		})
		f.get("/a").is(t, "first", 200, "for ")
		time.Sleep(2 * time.Second)
		away.Store(true)
		f.get("/a")
		away.Store(false)
		before := f.shop.asked()
		f.get("/a", "Cookie", "c", "Authorization", "a", "Waitroom-Account", "w").is(t, "who shows something", 200, "for c")
		f.shop.mu.Lock()
		defer f.shop.mu.Unlock()
		for _, name := range []string{"Cookie", "Authorization", "Waitroom-Account"} {
			if got := f.shop.requests[before].Header.Get(name); got != "" {
				t.Errorf("for nobody in particular: %s is %q", name, got)
			}
		}
	})
}

// TestAboutTheRequest: an answer about the request that it answers is for nobody
// else, whatever it says of itself, and costs nobody what is kept.
func TestAboutTheRequest(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 408, 411, 412, 413, 414, 416, 417, 421, 426, 428, 429, 431} {
		for _, cc := range []string{"public, max-age=60", ""} {
			synctest.Test(t, func(t *testing.T) {
				f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Cache-Control", "public, max-age=60")
					w.Header().Set("Vary", "Accept-Language")
					if r.Header.Get("X-Junk") != "" {
						w.Header().Set("Cache-Control", cc)
						w.WriteHeader(status)
						return
					}
					_, _ = io.WriteString(w, "page")
				})
				what := fmt.Sprint(status, " ", cc)
				f.get("/a", "X-Junk", "j").is(t, what, status, "")
				f.get("/a", "Accept-Language", "de").is(t, what, 200, "page")
				f.get("/a", "Accept-Language", "x1", "X-Junk", "j")
				before := f.shop.asked()
				f.get("/a", "Accept-Language", "de").is(t, what, 200, "page")
				if f.shop.asked() != before {
					t.Errorf("%s: what was kept has gone", what)
				}
			})
		}
	}
}

// TestMethodFieldThatChangesNothing: a field that makes no unsafe method of a GET lets
// go of nothing, and its answer is still for nobody else.
func TestMethodFieldThatChangesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		lets        bool
	}{
		{"X-Http-Method-Override", "x", false}, {"X-Http-Method-Override", "GET", false}, {"X.Http.Method.Override", "DELETE", true},
		{"X-Http-Method-Override", "delete", true}, {"X_method-Override", "get, put", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, says("Cache-Control", "max-age=60"))
			f.get("/a").is(t, "kept", 200, "answer 1")
			time.Sleep(time.Second)
			r := request(http.MethodGet, "/a")
			r.Header[test.name] = []string{test.value}
			f.do(r).is(t, test.value, 200, "answer 2")
			time.Sleep(time.Second)
			want := "answer 1"
			if test.lets {
				want = "answer 3"
			}
			f.get("/a").is(t, test.name+": "+test.value, 200, want)
		})
	}
}

// TestStandsStillInTheBody: an answer that stops in the middle takes nobody along who
// asks some seconds later, ends in time, and the shop has never more than two.
func TestStandsStillInTheBody(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		for _, always := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				var n, ended atomic.Int64
				f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Cache-Control", "max-age=1")
					if known {
						w.Header().Set("Content-Length", "10")
					}
					_, _ = io.WriteString(w, "whole")
					if i := n.Add(1); i == 2 || always && i > 2 {
						<-r.Context().Done()
						ended.Add(1)
						panic(http.ErrAbortHandler)
					}
					_, _ = io.WriteString(w, " page")
				})
				f.get("/a").is(t, "first", 200, "whole page")
				time.Sleep(1100 * time.Millisecond)
				var good atomic.Int64
				begun := time.Now()
				for range 40 {
					go func() {
						asked := time.Since(begun)
						if g := f.get("/a"); g.err == nil && g.body == "whole page" {
							good.Add(1)
						} else if !always && asked > 4*time.Second {
							t.Errorf("known %v: who asked after %v got %q, %v", known, asked, g.body, g.err)
						}
						if took := time.Since(begun) - asked; took > 20*time.Second {
							t.Errorf("known %v: an answer took %v", known, took)
						}
					}()
					time.Sleep(500 * time.Millisecond)
					synctest.Wait()
					if now := f.shop.atWork(); now > 2 {
						t.Errorf("known %v, always %v: %d questions at once, want 2 at most", known, always, now)
					}
				}
				time.Sleep(time.Minute)
				if n.Load()-1 == ended.Load() != always || ended.Load() == 0 {
					t.Errorf("known %v, always %v: %d of %d ended", known, always, ended.Load(), n.Load())
				}
				if !always && good.Load() < 32 {
					t.Errorf("known %v: %d of 40 got the page", known, good.Load())
				}
			})
		}
	}
}

// TestSlowReadersHoldABound: however many large answers somebody holds open without
// reading them, the shop's bytes do not pile up in memory; small ones are kept on.
func TestSlowReadersHoldABound(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			const size, large = 4 << 20, 400 << 10
			var sent atomic.Int64
			f := newFront(t, size, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "public, max-age=600")
				if strings.HasPrefix(r.URL.Path, "/small") {
					_, _ = io.WriteString(w, "small")
					return
				}
				if known {
					w.Header().Set("Content-Length", strconv.Itoa(large))
				}
				for range large / 4096 {
					if _, err := w.Write(make([]byte, 4096)); err != nil {
						return
					}
					sent.Add(4096)
				}
			})
			var open []*http.Response
			for i := range 100 {
				resp, err := f.via.RoundTrip(request(http.MethodGet, "/large?"+strconv.Itoa(i)))
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, resp)
				synctest.Wait()
			}
			if n := sent.Load(); n > 3*size || n < size/2 {
				t.Errorf("known %v: the shop has sent %d bytes that nobody reads, want %d at most", known, n, 3*size)
			}
			f.get("/small").is(t, "small", 200, "small")
			if g := f.get("/small").is(t, "small", 200, "small"); !cache.Kept(g.Response) {
				t.Errorf("known %v: a small answer is not kept meanwhile", known)
			}
			for _, resp := range open {
				if n, err := io.Copy(io.Discard, resp.Body); n != large || err != nil {
					t.Errorf("known %v: got %d bytes, %v; want %d", known, n, err, large)
				}
				_ = resp.Body.Close()
			}
			f.get("/large?new")
			if g := f.get("/large?new"); known && !cache.Kept(g.Response) {
				t.Errorf("known %v: a large answer is not kept afterwards", known)
			}
		})
	}
}

// TestCacheStatus: every answer says what became of it, and why it is not kept.
func TestCacheStatus(t *testing.T) {
	t.Parallel()
	const status = "Cache-Status"
	for _, test := range []struct {
		fields, asks []string
		want         string
	}{
		{[]string{"Cache-Control", "max-age=60"}, nil, "waitroom; fwd=uri-miss; stored"},
		{nil, nil, "waitroom; fwd=uri-miss; detail=no-lifetime"},
		{[]string{"Cache-Control", "private, max-age=60"}, nil, "waitroom; fwd=uri-miss; detail=private"},
		{[]string{"Cache-Control", "no-store"}, nil, "waitroom; fwd=uri-miss; detail=no-store"},
		{[]string{"Cache-Control", "max-age=60", "Set-Cookie", "a=1"}, nil, "waitroom; fwd=uri-miss; detail=set-cookie"},
		{[]string{"Cache-Control", "max-age=60", "Vary", "*"}, nil, "waitroom; fwd=uri-miss; detail=vary"},
		{[]string{"Cache-Control", "max-age=60"}, []string{"Cookie", "a=1"}, "waitroom; fwd=uri-miss; detail=cookie"},
		{[]string{"Cache-Control", "max-age=60"}, []string{"Authorization", "a"}, "waitroom; fwd=uri-miss; detail=authorization"},
		{[]string{"Cache-Control", "max-age=0"}, nil, "waitroom; fwd=uri-miss; detail=no-validator"},
		{[]string{"Cache-Control", "max-age=60", "Content-Length", strconv.Itoa(9 << 20)}, nil, "waitroom; fwd=uri-miss; detail=too-large"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, says(test.fields...))
			f.get("/a", test.asks...).has(t, fmt.Sprint(test.fields, test.asks), status, test.want)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=1")
			w.Header().Set("Etag", `"a"`)
			time.Sleep(time.Millisecond)
			if r.Header.Get("If-None-Match") != "" && r.URL.Path == "/a" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, "page")
		})
		f.get("/a")
		f.get("/b")
		f.get("/a").has(t, "kept", status, "waitroom; hit")
		time.Sleep(2 * time.Second)
		var second got
		go func() { time.Sleep(time.Microsecond); second = f.get("/a") }()
		g := f.get("/a").is(t, "renewed", 200, "page").has(t, "renewed", status, "waitroom; fwd=stale; fwd-status=304")
		if cache.Kept(g.Response) {
			t.Error("what the shop was asked about counts as the cache's work alone")
		}
		synctest.Wait()
		second.has(t, "joined", status, "waitroom; fwd=stale; fwd-status=304; collapsed")
		f.get("/b").has(t, "another", status, "waitroom; fwd=stale; stored")
		f.do(request(http.MethodPost, "/b")).has(t, "POST", status, "waitroom; fwd=method")
		f.get("/c", "Cache-Control", "no-store").has(t, "no-store", status, "waitroom; fwd=uri-miss; detail=no-store")
	})
}
