package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestWarmStays: what was warmed stays while a crowd makes up as many queries,
// and asks for as many kinds of it, as it likes; for a minute, and up to half of
// the bound.
func TestWarmStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body := strings.Repeat("x", 20<<10)
		f := newFront(t, 1<<20, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			w.Header().Set("Vary", "Accept-Language")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = io.WriteString(w, body)
		})
		warm := func(n int) {
			for i := range n {
				if err := f.cache.Warm(f.shop, request(http.MethodGet, fmt.Sprint("/asset/", i))); err != nil {
					t.Error(err)
				}
			}
		}
		flood := func() {
			for i := range 200 {
				f.get(fmt.Sprint("/big?made-up=", i)).is(t, "flood", 200, body)
			}
		}
		there := func(n int) (are int) {
			for i := range n {
				if f.get(fmt.Sprint("/asset/", i), "Cache-Control", "only-if-cached").StatusCode == http.StatusOK {
					are++
				}
			}
			return are
		}
		warm(20)
		flood()
		if are := there(20); are != 20 {
			t.Errorf("after a flood %d of 20 are there", are)
		}
		asked := f.shop.asked()
		time.Sleep(50 * time.Second)
		warm(20)
		time.Sleep(50 * time.Second)
		if n := f.shop.asked(); n != asked {
			t.Errorf("what is there was asked for %d times", n-asked)
		}
		flood()
		for i := range 200 {
			f.get("/asset/0", "Accept-Language", fmt.Sprint("x-", i))
			f.get("/asset/0", "Cache-Control", "only-if-cached").is(t, "among made-up languages", 200, body)
		}
		if are := there(20); are != 20 {
			t.Errorf("warmed anew, after a flood %d of 20 are there", are)
		}
		time.Sleep(61 * time.Second)
		flood()
		if are := there(20); are != 0 {
			t.Errorf("no longer warm, after a flood %d of 20 are there", are)
		}
		warm(45) // nearly all
		flood()
		if are := there(45); are < 20 || are > 26 {
			t.Errorf("of what would fill the bound %d are there, want half of the bound", are)
		}
		f.cache.Purge("", time.Now())
		if held := f.cache.Held(); held != 0 {
			t.Errorf("nothing holds %d bytes", held)
		}
	})
}
