package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
)

// board is a page before a shop.
type board struct {
	*front
	page *cache.Page
}

func newBoard(t *testing.T, handle http.HandlerFunc) *board {
	f := newFront(t, 0, handle)
	return &board{f, f.cache.Page()}
}

func (b *board) fetch(ctx context.Context, prepare func(http.Header)) (*http.Response, error) {
	r := request(http.MethodGet, "/toys/golden").WithContext(ctx)
	prepare(r.Header)
	return b.shop.RoundTrip(r)
}

func (b *board) get(fields ...string) got {
	w := httptest.NewRecorder()
	err := b.page.Serve(w, request(http.MethodGet, "/toys/golden?any", fields...), b.fetch)
	return got{w.Result(), w.Body.String(), err}
}

// TestPageForAll: once fetched it is everybody's, whatever they say, also with no
// memory granted; when its time is over it is shown on, and asked for news alone.
func TestPageForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"v1"`)
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, digits)
		})
		var crowd sync.WaitGroup
		for range 100 {
			crowd.Go(func() { b.get("Cookie", "a=1", "Cache-Control", "no-cache").is(t, "crowd", 200, digits) })
		}
		crowd.Wait()
		time.Sleep(4 * time.Second)
		b.get("Range", "bytes=1-2").is(t, "a part", 206, "12").has(t, "a part", "Age", "4").has(t, "a part", "Cache-Status", "waitroom; hit")
		b.get("If-None-Match", `"v1"`).is(t, "has it", 304, "")
		if b.page.Due(time.Now()) {
			t.Error("a fresh page is due")
		}
		time.Sleep(2 * time.Second)
		b.get().is(t, "stale", 200, digits).has(t, "stale", "Cache-Status", "waitroom; hit; detail=stale")
		if n := b.shop.asked(); n != 1 || !b.page.Due(time.Now()) {
			t.Errorf("asked %d times, due: %v; want once, and due", n, b.page.Due(time.Now()))
		}
		if err := b.page.Refresh(t.Context(), b.fetch); err != nil || b.shop.last().Header.Get("If-None-Match") != `"v1"` {
			t.Errorf("refresh: %v, asked with %v", err, b.shop.last().Header)
		}
		b.get().is(t, "renewed", 200, digits).has(t, "renewed", "Age", "0").has(t, "renewed", "Cache-Status", "waitroom; hit")
		if held := b.cache.Held(); held < 1024 {
			t.Errorf("a page holds %d bytes", held)
		}
		b.page.Forget()
		if held := b.cache.Held(); held != 0 {
			t.Errorf("no page holds %d bytes", held)
		}
	})
}

// TestPageOfASlowClock: a shop whose clock runs an hour late has a page all the
// same.
func TestPageOfASlowClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(-2*time.Hour).UTC().Format(http.TimeFormat))
			w.Header().Set("Cache-Control", "max-age=60")
		})
		for range 10 {
			b.get().is(t, "page", 200, "")
			time.Sleep(time.Second)
		}
		if n := b.shop.asked(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	})
}

// TestPageNotForAll: why not is said, and what was shown before is not shown on.
func TestPageNotForAll(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		status int
		fields []string
	}{
		{"Cache-Control", 200, []string{"Cache-Control", "private"}}, {"Cache-Control", 200, []string{"Cache-Control", "no-cache"}},
		{"Cache-Control", 200, []string{"Surrogate-Control", "no-store"}}, {"cookie", 200, []string{"Set-Cookie", "a=1"}},
		{"varies", 200, []string{"Vary", "Accept-Encoding, Cookie"}}, {"packed", 200, []string{"Content-Encoding", "gzip"}},
		{"lifetime", 200, []string{"Cache-Control", "max-age=0"}}, {"lifetime", 200, []string{"Cache-Control", "max-age=60", "Age", "60"}},
		{"302", 302, []string{"Location", "/"}}, {"404", 404, nil}, {"stream", 200, []string{"Content-Type", "text/event-stream"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			private := false
			b := newBoard(t, func(w http.ResponseWriter, _ *http.Request) {
				if private {
					for i := 0; i < len(test.fields); i += 2 {
						w.Header().Set(test.fields[i], test.fields[i+1])
					}
					w.WriteHeader(test.status)
				}
			})
			b.get().is(t, "for all", 200, "")
			private = true
			time.Sleep(6 * time.Second)
			err := b.page.Refresh(t.Context(), b.fetch)
			if !errors.Is(err, cache.ErrNotForAll) || !strings.Contains(err.Error(), test.why) {
				t.Errorf("%v: %v, want that it is not for all, and %q", test.fields, err, test.why)
			}
			if g := b.get(); !errors.Is(g.err, cache.ErrNotForAll) {
				t.Errorf("%v: then got %v", test.fields, g.err)
			}
		})
	}
}

// TestPageWhileAway: shown on for an hour, and no longer.
func TestPageWhileAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := false
		b := newBoard(t, func(w http.ResponseWriter, _ *http.Request) {
			if away {
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		b.get().is(t, "there", 200, "")
		away = true
		time.Sleep(time.Hour + 4*time.Second)
		if err := b.page.Refresh(t.Context(), b.fetch); err == nil || errors.Is(err, cache.ErrNotForAll) {
			t.Errorf("refresh: %v, want the status", err)
		}
		b.get().is(t, "an hour later", 200, "").has(t, "an hour later", "Age", "3604")
		time.Sleep(2 * time.Second)
		if g := b.get(); g.err == nil {
			t.Error("after more than an hour it is still shown")
		}
	})
}
