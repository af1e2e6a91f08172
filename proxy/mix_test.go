package proxy_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

const (
	mixPath = "/v1/sales/golden-toy/mix"
	drand   = `{"value":"9d1e0dc1 \"☘\""}`
)

// TestMixedDraw: over two edges, from the doors to the pass. The draw waits for
// its value, everybody is told the same, and the places are those that anyone can
// compute from what was published.
func TestMixedDraw(t *testing.T) {
	t.Parallel()
	redis := testserver.Redis(t)
	p := plot{redis: redis, sale: "mix: drand round 5213377\nadmit: 100/s", doors: -time.Minute, opens: 5 * time.Second}
	one := play(t, p)
	two := one.beside(p)
	crowd := []*browser{one.browser(), two.browser(), one.browser(), two.browser()}
	for _, b := range crowd {
		b.join().code(t, "join", http.StatusCreated)
	}
	if now := two.status(); now.field("mix") != "drand round 5213377" || now.field("mixed") != "" || now.field("drawn") != "" {
		t.Errorf("before opening: %s", now.body)
	}
	for _, s := range []*stage{one, two} {
		s.until("the lottery closed", func() bool { return s.status().field("drawn") == "4" })
		s.until("the warning", func() bool { return len(s.log.lines(t, "draw waits for its public value")) == 1 })
		s.until("the gauge", func() bool {
			return strings.Contains(s.admin(http.MethodGet, "/metrics", "", "").body, "\nwaitroom_draw_overdue{sale=\"golden-toy\"} 1\n")
		})
	}
	late := two.browser()
	late.join().code(t, "late", http.StatusCreated)
	for _, b := range append(crowd, late) {
		me := b.own(http.MethodGet, "me")
		poll, _ := strconv.Atoi(me.field("poll_after_ms"))
		state, place, page := "lottery", "", static.Overdue
		if b == late {
			state, place, page = "waiting", "4", static.Late
		}
		if got, want := titleOf(b.own(http.MethodGet, "line", "Accept", "text/html", "Sec-Fetch-Mode", "navigate").body), pageTitles(t)[page]; got != want {
			t.Errorf("while the draw waits: the page says %q, want %q", got, want)
		}
		if me.field("state") != state || me.field("place") != place || me.field("ahead") != place || me.field("eta_high_s") != "" || poll < 1000 {
			t.Errorf("while the draw waits: me is %s, want %s at place %q", me.body, state, place)
		}
		b.own(http.MethodPost, "pass").code(t, "pass while the draw waits", http.StatusTooManyRequests)
		b.buy("").code(t, "buy while the draw waits", http.StatusTooManyRequests)
	}
	waiting := one.status()
	if waiting.field("state") != "doors" || waiting.field("seed") != "" || waiting.field("head") != "0" {
		t.Errorf("while the draw waits: %s", waiting.body)
	}

	one.admin(http.MethodPut, mixPath, drand, token).want(t, "mix", http.StatusOK, "ok")
	two.admin(http.MethodPut, mixPath, drand, token).want(t, "the same on the other edge", http.StatusOK, "ok")
	two.admin(http.MethodPut, mixPath, `{"value":"9d1e0dc1"}`, token).code(t, "another value", http.StatusConflict)
	if audit := one.log.lines(t, "audit"); len(audit) != 1 || audit[0]["action"] != "mix" || audit[0]["detail"] != `9d1e0dc1 "☘"` {
		t.Errorf("audit is %v, want one line with the value", audit)
	}
	for _, s := range []*stage{one, two} {
		s.until("the draw", func() bool { return s.status().field("seed") != "" })
		checkMixed(t, s.status(), waiting.field("commitment"), append(crowd, late))
	}
	for _, b := range crowd {
		b.s.until("pass", func() bool { return b.own(http.MethodPost, "pass").StatusCode == http.StatusOK })
	}
	one.until("the gauge again", func() bool {
		return strings.Contains(one.admin(http.MethodGet, "/metrics", "", "").body, "\nwaitroom_draw_overdue{sale=\"golden-toy\"} 0\n")
	})
}

// checkMixed: the draw of four with its value, by the seed committed to, has the
// places that people are told.
func checkMixed(t *testing.T, drawn reply, commitment string, people []*browser) {
	t.Helper()
	if drawn.field("mixed") != `9d1e0dc1 "☘"` || drawn.field("drawn") != "4" || drawn.field("state") != "open" || drawn.field("commitment") != commitment {
		t.Errorf("after the draw: %s", drawn.body)
	}
	seed, err := queueing.ParseSeed(drawn.field("seed"))
	if err != nil || seed.Commitment() != commitment {
		t.Fatalf("seed %v, %v, is not the one committed to", seed, err)
	}
	draw := queueing.NewDraw(seed, "golden-toy", 4, `9d1e0dc1 "☘"`)
	for _, b := range people {
		number, _ := strconv.ParseUint(b.own(http.MethodGet, "me").field("number"), 10, 64)
		b.until("called")
		if got := b.own(http.MethodGet, "me").field("place"); got != strconv.FormatUint(draw.Place(number), 10) {
			t.Errorf("number %d has place %s, want %d", number, got, draw.Place(number))
		}
	}
}

// TestMixedDrawIsPutBack: what two edges know of the draw they put back when Redis
// forgets, and show the same.
func TestMixedDrawIsPutBack(t *testing.T) {
	t.Parallel()
	p := plot{redis: testserver.Redis(t), sale: "mix: drand round 5213377\nadmit: 100/s", doors: -time.Minute, opens: time.Second}
	one := play(t, p)
	two := one.beside(p)
	one.browser().join().code(t, "join", http.StatusCreated)
	one.admin(http.MethodPut, mixPath, drand, token).want(t, "mix", http.StatusOK, "ok")
	for _, s := range []*stage{one, two} {
		s.until("the draw", func() bool { return s.status().field("seed") != "" })
	}
	before := one.status()
	if err := one.rdb.FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	one.until("what Redis forgot", func() bool {
		n, err := one.rdb.HLen(context.Background(), "wr:{line:golden-toy}").Result()
		return err == nil && n > 0
	})
	two.until("a newer picture", func() bool { return two.status().field("now") > before.field("now") })
	for _, s := range []*stage{one, two} {
		after := s.status()
		for _, name := range []string{"seed", "mixed", "mix", "drawn", "commitment"} {
			if after.field(name) != before.field(name) {
				t.Errorf("after Redis forgot %s is %q, want %q", name, after.field(name), before.field(name))
			}
		}
	}
}

// status is the shared document of the sale.
func (s *stage) status() reply {
	s.t.Helper()
	return s.browser().own(http.MethodGet, "status")
}

// TestMixRefused: what is no value, and when there can be none.
func TestMixRefused(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "mix: drand round 5213377", doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour})
	put := func(body string, want int) {
		t.Helper()
		r := s.admin(http.MethodPut, mixPath, body, token).code(t, body, want)
		if want != http.StatusOK && r.field("error") == "" {
			t.Errorf("%s: %s does not say why", body, r.body)
		}
	}
	for _, body := range []string{
		"", `{}`, `{"value":""}`, `{"value":7}`, `{"mixed":"7"}`, `{"value":"7"}{"value":"8"}`,
		`{"value":"` + strings.Repeat("x", 501) + `"}`, `{"value":"` + strings.Repeat("☘", 167) + `"}`,
		"{\"value\":\"\xff\"}", `{"value":"\ud800"}`,
		`{"value":" 7"}`, `{"value":"7\n"}`, `{"value":"7\u00a0"}`, `{"value":"7\u00008"}`, `{"value":"\u001b[2J"}`,
	} {
		put(body, http.StatusBadRequest)
	}
	r := s.admin(http.MethodPut, mixPath, `{"value":"7\n"}`, token)
	if want := "value: a public value is 1 to 500 bytes of UTF-8, without invisible characters, and without blanks at its ends"; !strings.HasSuffix(r.field("error"), want) {
		t.Errorf("with a line end: %s, want that %s", r.body, want)
	}
	s.admin(http.MethodPut, mixPath, drand, "").code(t, "without a token", http.StatusUnauthorized)
	longest := `{"value":"` + strings.Repeat("☘", 166) + `xy"}`
	put(longest, http.StatusOK)
	put(longest, http.StatusOK)
	put(drand, http.StatusConflict)
	s.until("the value", func() bool { return len(s.browser().own(http.MethodGet, "status").field("mixed")) == 500 })

	early := play(t, plot{sale: "mix: drand round 5213377", doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour})
	early.admin(http.MethodPut, mixPath, drand, token).code(t, "before the doors", http.StatusConflict)
	if got := early.browser().own(http.MethodGet, "status"); got.field("mix") != "" || got.field("state") != "scheduled" {
		t.Errorf("before the doors: %s", got.body)
	}
	play(t, plot{}).admin(http.MethodPut, mixPath, drand, token).code(t, "of a sale that names none", http.StatusBadRequest)
}
