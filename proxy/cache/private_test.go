package cache_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestNobodyElses: whatever clients ask and whatever answers say, in any order, what
// is one client's own reaches no other one. Each answer carries the name of who it
// was made for; it may reach another only if it was public, or made for who showed
// nothing of their own; and never if it was private or set a cookie.
func TestNobodyElses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		says := rapid.SliceOfN(rapid.SampledFrom([]string{
			"max-age=5", "max-age=5, public", "max-age=5, private", "no-store", "no-cache", "s-maxage=5", "max-age=5, must-revalidate",
			"max-age=1, stale-while-revalidate=60, stale-if-error=60", `max-age=5, private="x-own"`, "",
		}), 1, 8).Draw(r, "says")
		cookies := rapid.SliceOfN(rapid.Bool(), 1, 8).Draw(r, "cookies")
		tags := rapid.Bool().Draw(r, "tags")
		steps := rapid.SliceOfN(rapid.IntRange(0, 59), 1, 40).Draw(r, "steps")
		synctest.Test(t, func(t *testing.T) {
			var times atomic.Int64
			f := newFront(t, big, func(w http.ResponseWriter, req *http.Request) {
				n := int(times.Add(1) - 1)
				cc, cookie := says[n%len(says)], cookies[n%len(cookies)]
				still := tags && req.Header.Get("If-None-Match") != ""
				if still && cc == "" {
					cc = "max-age=5" // what was said before goes on
				}
				who := strings.Join([]string{req.Header.Get("X-Who"), req.Header.Get("Cookie"), req.Header.Get("Authorization"), cc, fmt.Sprint(cookie)}, "|")
				h := w.Header()
				if cc != "" {
					h.Set("Cache-Control", cc)
				}
				if cookie {
					h.Set("Set-Cookie", "who="+req.Header.Get("X-Who"))
				}
				h.Set("X-Own", req.Header.Get("X-Who"))
				h.Set("X-Made-For", who)
				if tags {
					h.Set("Etag", `"same"`)
					if still {
						w.WriteHeader(http.StatusNotModified)
						return
					}
				}
				time.Sleep(10 * time.Millisecond)
				_, _ = w.Write([]byte(who))
			})
			for at, step := range steps {
				who := fmt.Sprint("client ", at)
				fields := []string{"X-Who", who}
				if step%3 == 1 {
					fields = append(fields, "Cookie", "id="+who)
				}
				if step%3 == 2 {
					fields = append(fields, "Authorization", who)
				}
				g := f.get("/a", fields...)
				for _, made := range []string{g.body, g.Header.Get("X-Made-For")} {
					if fault := strayed(made, who, g.Header); g.StatusCode == http.StatusOK && fault != "" {
						r.Errorf("%s got what was made for %s: %s", who, made, fault)
					}
				}
				time.Sleep(time.Duration(step) * 100 * time.Millisecond)
			}
			time.Sleep(time.Hour) // whatever is still fetched ends
		})
	})
}

// strayed says why an answer should not have reached a client; "" when it may.
func strayed(made, who string, h http.Header) string {
	if c := h.Get("Set-Cookie"); c != "" && c != "who="+who {
		return "it sets another's cookie"
	}
	if strings.HasPrefix(made, who+"|") {
		return ""
	}
	p := strings.Split(made, "|")
	cookie, auth, cc := p[1], p[2], p[3]
	open := strings.Contains(cc, "public") || strings.Contains(cc, "s-maxage")
	switch {
	case p[4] == "true":
		return "it sets a cookie"
	case cc == "", strings.Contains(cc, "no-store"), strings.HasSuffix(cc, "private"):
		return "it says " + cc
	case strings.Contains(cc, "x-own") && h.Get("X-Own") == p[0]:
		return "with a field that is private"
	case cookie != "" && !open:
		return "it was for who showed a cookie"
	case auth != "" && !open && !strings.Contains(cc, "must-revalidate"):
		return "it was for who showed an Authorization"
	}
	return ""
}
