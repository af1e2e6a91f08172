package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
)

// crowd asks n times at once and gives back what each got.
func (f *front) crowd(n int, target string, fields ...string) []got {
	all := make([]got, n)
	var crowd sync.WaitGroup
	for i := range n {
		crowd.Go(func() { all[i] = f.get(target, fields...) })
	}
	crowd.Wait()
	return all
}

// TestFetchedOnce: a crowd at a cold cache is one question to the shop, also when
// the answer comes slowly, with its length or without.
func TestFetchedOnce(t *testing.T) {
	t.Parallel()
	for _, length := range []string{"", "9"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60")
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				time.Sleep(time.Second)
				for _, part := range []string{"one", "two", "six"} {
					_, _ = io.WriteString(w, part)
					time.Sleep(time.Second)
				}
			})
			for _, g := range f.crowd(500, "/a") {
				g.is(t, "in the crowd", 200, "onetwosix")
			}
			if n := f.shop.asked(); n != 1 {
				t.Errorf("length %q: asked %d times, want once", length, n)
			}
			if n := f.outcomes(cache.Joined) + f.outcomes(cache.Hit); n != 499 {
				t.Errorf("length %q: %d joined, want 499", length, n)
			}
		})
	}
}

// TestStreams: what comes is passed on as it comes, to the first and to who
// joined, and the slowest reader holds up nobody.
func TestStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Content-Length", "6")
			_, _ = io.WriteString(w, "one")
			time.Sleep(10 * time.Second)
			_, _ = io.WriteString(w, "two")
		})
		begun := time.Now()
		first, err := f.via.RoundTrip(request(http.MethodGet, "/a"))
		if err != nil {
			t.Fatal(err)
		}
		second, err := f.via.RoundTrip(request(http.MethodGet, "/a"))
		if err != nil {
			t.Fatal(err)
		}
		for _, resp := range []*http.Response{first, second} {
			b := make([]byte, 3)
			if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "one" || time.Since(begun) > time.Second {
				t.Errorf("after %v: got %q, %v; want one at once", time.Since(begun), b, err)
			}
		}
		_ = first.Body.Close() // leaves in the middle
		if rest, err := io.ReadAll(second.Body); err != nil || string(rest) != "two" {
			t.Errorf("who joined got %q, %v; want two", rest, err)
		}
		_ = second.Body.Close()
		f.get("/a").is(t, "kept", 200, "onetwo")
		if n := f.shop.asked(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	})
}

// TestNotKeptFreesAll: an answer that turns out to be for one holds up nobody: all
// go at once, and who comes later does not even wait to see.
func TestNotKeptFreesAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			w.Header().Set("Cache-Control", "private")
			_, _ = io.WriteString(w, r.Header.Get("Cookie"))
		})
		begun := time.Now()
		var crowd sync.WaitGroup
		for i := range 100 {
			crowd.Go(func() {
				who := "a=" + strconv.Itoa(i)
				f.get("/a", "Cookie", who).is(t, who, 200, who)
			})
		}
		crowd.Wait()
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("a crowd took %v, want the time of two answers", took)
		}
		begun = time.Now()
		f.crowd(100, "/a", "Cookie", "b=1")
		if took := time.Since(begun); took != time.Second {
			t.Errorf("a second crowd took %v, want the time of one answer", took)
		}
	})
}

// TestUnknownAndSlow: where nobody knows whether an answer can be kept, a second one
// asks after a while, and no third; who waits hears so in time. Once it is known
// that it cannot be kept, all ask, and nobody waits on another's account.
func TestUnknownAndSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := 40 * time.Second
		f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(slow)
			w.Header().Set("Cache-Control", "private")
		})
		crowd := func(n int) (good int, took time.Duration) {
			begun := time.Now()
			for _, g := range f.crowd(n, "/report") {
				var late interface{ Timeout() bool }
				switch {
				case g.err == nil && g.StatusCode == http.StatusOK:
					good++
				case !errors.As(g.err, &late) || !late.Timeout():
					t.Errorf("got %d, %v; want that the shop is slow", g.StatusCode, g.err)
				}
			}
			return good, time.Since(begun)
		}
		if good, took := crowd(20); good != 2 || took > 43*time.Second || f.shop.most != 2 {
			t.Errorf("unknown: %d got it in %v, %d at once; want 2 of 20 in 43 s, 2 at once", good, took, f.shop.most)
		}
		if good, took := crowd(20); good != 20 || took != slow {
			t.Errorf("known: %d of 20 got it in %v, want all in %v", good, took, slow)
		}
		time.Sleep(10 * time.Minute)
		if good, took := crowd(20); good != 20 || took != slow+3*time.Second {
			t.Errorf("known some time ago: %d of 20 got it in %v, want all within 3 s more than %v", good, took, slow)
		}
	})
}

// TestUnknownAndSlowForAWhile: who waits longer than a second one could be asked for
// is answered as soon as that one is.
func TestUnknownAndSlowForAWhile(t *testing.T) {
	t.Parallel()
	for _, cc := range []string{"private", "max-age=60"} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					<-r.Context().Done() // stands still
					return
				}
				time.Sleep(time.Second)
				w.Header().Set("Cache-Control", cc)
				_, _ = io.WriteString(w, "page")
			})
			ctx, leave := context.WithTimeout(t.Context(), time.Minute)
			defer leave()
			go f.do(request(http.MethodGet, "/a").WithContext(ctx))
			time.Sleep(time.Second)
			begun := time.Now()
			for _, g := range f.crowd(20, "/a") {
				g.is(t, cc, 200, "page")
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("%s: a crowd took %v, want no more than 5 s", cc, took)
			}
			time.Sleep(2 * time.Minute)
		})
	}
}

// TestColdAndStandsStill: a crowd at a target of which nothing is known, while the
// shop hangs and then fails: never more than two questions at once, and an answer
// for each in time.
func TestColdAndStandsStill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const hangs, fails, breaks = 0, 1, 2
		var how atomic.Int64
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			switch how.Load() {
			case hangs:
				select {
				case <-time.After(20 * time.Second):
				case <-r.Context().Done():
				}
				panic(http.ErrAbortHandler)
			case fails:
				time.Sleep(50 * time.Millisecond)
				w.WriteHeader(http.StatusInternalServerError)
			default:
				time.Sleep(50 * time.Millisecond)
				panic(http.ErrAbortHandler)
			}
		})
		for _, state := range []int64{hangs, fails, breaks} {
			how.Store(state)
			before := f.shop.asked()
			f.mustAnswer(t, fmt.Sprint("cold, state ", state), 23*time.Second+100*time.Millisecond, false)
			if f.shop.most > 2 {
				t.Errorf("state %d: %d questions at once, want 2 at most", state, f.shop.most)
			}
			if n := f.shop.asked() - before; n > 800 {
				t.Errorf("state %d: asked %d times for 1500 requests", state, n)
			}
		}
		time.Sleep(time.Minute)
	})
}

// TestTheFirstLeaves: who asked first may go; the answer comes all the same where
// it can be kept. Where nobody knows that and nobody else waits, the shop may stop
// working on it.
func TestTheFirstLeaves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what   string
		known  bool
		others int
		want   int // questions
	}{{"known", true, 0, 2}, {"unknown, with others", false, 3, 1}, {"unknown and alone", false, 0, 2}} {
		synctest.Test(t, func(t *testing.T) {
			var stopped atomic.Int64
			var slow atomic.Bool
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				if slow.Load() {
					select {
					case <-time.After(time.Second):
					case <-r.Context().Done():
						stopped.Add(1)
					}
				}
				w.Header().Set("Cache-Control", "max-age=60")
				_, _ = io.WriteString(w, "page")
			})
			if test.known {
				f.get("/a")
				time.Sleep(2 * time.Minute)
			}
			slow.Store(true)
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan got)
			go func() { done <- f.do(request(http.MethodGet, "/a").WithContext(ctx)) }()
			time.Sleep(100 * time.Millisecond)
			var others sync.WaitGroup
			for range test.others {
				others.Go(func() { f.get("/a").is(t, test.what, 200, "page") })
			}
			time.Sleep(100 * time.Millisecond)
			leave()
			if g := <-done; !errors.Is(g.err, context.Canceled) {
				t.Errorf("%s: who left got %v", test.what, g.err)
			}
			synctest.Wait()
			if alone := !test.known && test.others == 0; alone != (stopped.Load() == 1) {
				t.Errorf("%s: stopped %d times", test.what, stopped.Load())
			}
			others.Wait()
			time.Sleep(2 * time.Second)
			f.get("/a").is(t, test.what, 200, "page")
			if n := f.shop.asked(); n != test.want {
				t.Errorf("%s: asked %d times, want %d", test.what, n, test.want)
			}
		})
	}
}

// TestLeaverOfAPrivateAnswer: the shop stops working for who has gone.
func TestLeaverOfAPrivateAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "begun")
			<-r.Context().Done()
			close(stopped)
			panic(http.ErrAbortHandler)
		})
		ctx, leave := context.WithCancel(t.Context())
		resp, err := f.via.RoundTrip(request(http.MethodGet, "/a").WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 5)
		if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "begun" {
			t.Errorf("got %q, %v", b, err)
		}
		leave()
		<-stopped
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("the body of who left ended well")
		}
		_ = resp.Body.Close()
	})
}

// TestOriginStandsStill: a page expires under a crowd while the shop hangs and
// then fails. What may be shown is shown soon, nobody waits for ever, and the shop
// never has more than one question at once, or two where nothing may be shown.
func TestOriginStandsStill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cc    string
		shown bool
	}{
		{"max-age=10, stale-while-revalidate=60", true}, {"max-age=10, stale-if-error=60", true}, {"max-age=10", false},
		{"max-age=10, stale-if-error=60, must-revalidate", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			const whole, hangs, fails = 0, 1, 2
			var how atomic.Int64
			f := newFront(t, big, func(w http.ResponseWriter, r *http.Request) {
				switch how.Load() {
				case hangs:
					select {
					case <-time.After(20 * time.Second):
					case <-r.Context().Done():
					}
				case fails:
					time.Sleep(10 * time.Millisecond)
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				w.Header().Set("Cache-Control", test.cc)
				_, _ = io.WriteString(w, "page")
			})
			f.get("/a").is(t, "whole", 200, "page")
			time.Sleep(11 * time.Second)
			for _, state := range []int64{hangs, fails} {
				how.Store(state)
				most := 21 * time.Second
				if test.shown {
					most = 2 * time.Second
				}
				f.mustAnswer(t, fmt.Sprintf("%s, state %d", test.cc, state), most, test.shown)
			}
			how.Store(whole)
			time.Sleep(2 * time.Second)
			f.get("/a")
			time.Sleep(time.Second)
			f.get("/a").is(t, "whole again", 200, "page").has(t, "whole again", "Cache-Status", "waitroom; hit")
			if most := map[bool]int{true: 1, false: 2}[test.shown]; f.shop.most > most {
				t.Errorf("%s: %d questions at once, want %d at most", test.cc, f.shop.most, most)
			}
		})
	}
}

// mustAnswer sends a steady crowd for fifteen seconds, and wants an answer for
// each in time.
func (f *front) mustAnswer(t *testing.T, what string, most time.Duration, shown bool) {
	t.Helper()
	var crowd sync.WaitGroup
	for range 150 {
		for range 10 {
			crowd.Go(func() {
				begun := time.Now()
				g := f.get("/a")
				took := time.Since(begun)
				if took > most {
					t.Errorf("%s: an answer took %v, want %v at most", what, took, most)
				}
				if shown && (g.err != nil || g.body != "page") {
					t.Errorf("%s: got %d %q, %v; want the page", what, g.StatusCode, g.body, g.err)
				}
			})
		}
		time.Sleep(100 * time.Millisecond)
	}
	crowd.Wait()
}

// TestBreaksOff: an answer that does not come whole is not kept, and is cut for
// whoever read along.
func TestBreaksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var whole atomic.Bool
		f := newFront(t, big, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Content-Length", "6")
			_, _ = io.WriteString(w, "one")
			time.Sleep(time.Second)
			if !whole.Load() {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, "two")
		})
		for _, g := range f.crowd(10, "/a") {
			if g.err == nil {
				t.Errorf("got %d %q without an error", g.StatusCode, g.body)
			}
		}
		if held := f.cache.Held(); held != 0 {
			t.Errorf("%d bytes are held", held)
		}
		whole.Store(true)
		f.get("/a").is(t, "whole", 200, "onetwo")
	})
}

// TestTooLarge: what is too large to be kept reaches everybody, and stays out of
// memory.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			body := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB
			f := newFront(t, 1<<20, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60")
				if known {
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				}
				time.Sleep(time.Second)
				_, _ = io.WriteString(w, body)
			})
			for _, g := range f.crowd(10, "/a") {
				if g.err != nil || g.body != body {
					t.Errorf("known %v: got %d bytes, %v; want all", known, len(g.body), g.err)
				}
			}
			if held := f.cache.Held(); held != 0 {
				t.Errorf("known %v: %d bytes are held", known, held)
			}
		})
	}
}

// TestBound: however many ask for whatever at once, no more is held than may be.
func TestBound(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	body := strings.Repeat("x", 40<<10)
	f := newFront(t, size, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		if strings.HasSuffix(r.URL.Path, "5") {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		_, _ = io.WriteString(w, body)
	})
	done := make(chan struct{})
	var most int64
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				most = max(most, f.cache.Held())
			}
		}
	})
	var crowd sync.WaitGroup
	for i := range 16 {
		crowd.Go(func() {
			for j := range 100 {
				f.get(fmt.Sprintf("/%d/%d", i%4, j)).is(t, "any", 200, body)
			}
		})
	}
	crowd.Wait()
	close(done)
	watch.Wait()
	if most > size || most < size/2 {
		t.Errorf("%d bytes were held, want at most %d and not much less", most, size)
	}
}

// TestOff: with no memory nothing is kept.
func TestOff(t *testing.T) {
	t.Parallel()
	f := newFront(t, 0, says("Cache-Control", "max-age=60"))
	f.get("/a").is(t, "first", 200, "answer 1")
	f.get("/a").is(t, "then", 200, "answer 2")
	f.cache.Resize(1 << 20)
	f.get("/a").is(t, "on", 200, "answer 3")
	f.get("/a").is(t, "on", 200, "answer 3")
	f.cache.Resize(0)
	f.get("/a").is(t, "off again", 200, "answer 4")
	if held := f.cache.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}
