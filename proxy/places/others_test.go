package places_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/places"
)

// stay is one request that is answered after so long.
func stay(ctx context.Context, b *places.Bound, who places.Who, route places.Route, took time.Duration) bool {
	s, err := b.Wait(ctx, who, route, false)
	if err != nil {
		return false
	}
	defer s.Leave()
	time.Sleep(took)
	s.Answered(true, false)
	return true
}

// flood asks so often a second, until the test ends.
func flood(ctx context.Context, perSecond int, ask func()) {
	every := time.NewTicker(time.Second / time.Duration(perSecond))
	defer every.Stop()
	for {
		select {
		case <-every.C:
			go ask()
		case <-ctx.Done():
			return
		}
	}
}

// TestShare: everyone has one place in forty, though a higher class alone is more than
// there are places for.
func TestShare(t *testing.T) {
	t.Parallel()
	for _, class := range []places.Class{places.Holding, places.Passed, places.Changing} {
		synctest.Test(t, func(t *testing.T) {
			b := places.New(8, 512)
			ctx, end := context.WithTimeout(t.Context(), 40*time.Second)
			defer end()
			var theirs, others atomic.Int64
			ask := func(who places.Who, of *atomic.Int64) func() {
				return func() {
					if stay(ctx, b, who, page, 100*time.Millisecond) {
						of.Add(1)
					}
				}
			}
			go flood(ctx, 200, ask(class.Of(""), &others))
			flood(ctx, 20, ask(places.Everyone.Of(""), &theirs))
			time.Sleep(time.Minute)
			all := theirs.Load() + others.Load()
			if theirs.Load()*40 < all*8/10 || others.Load()*2 < all {
				t.Errorf("%v: everyone got %d of %d places, want one in forty", class, theirs.Load(), all)
			}
		})
	}
}

// TestOneAmongMany: who asks more often than all others, with what comes first, leaves
// them half of the places.
func TestOneAmongMany(t *testing.T) {
	t.Parallel()
	for _, class := range places.Classes {
		synctest.Test(t, func(t *testing.T) {
			b := places.New(12, 512)
			ctx, end := context.WithTimeout(t.Context(), 40*time.Second)
			defer end()
			var asked, got atomic.Int64
			go flood(ctx, 190, func() { stay(ctx, b, class.Of("one"), page, 100*time.Millisecond) })
			flood(ctx, 40, func() {
				asked.Add(1)
				if stay(ctx, b, places.Everyone.Of(""), page, 100*time.Millisecond) {
					got.Add(1)
				}
			})
			time.Sleep(time.Minute)
			if got.Load()*10 < asked.Load()*9 {
				t.Errorf("%v: %d of %d others got a place", class, got.Load(), asked.Load())
			}
		})
	}
}

// TestOneAlone: a browser that asks for all that a page needs at once gets it while
// nobody else waits; beside others it has a quarter of the line.
func TestOneAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		others int // who wait already
		want   int64
	}{{0, 200}, {1, 32}} {
		synctest.Test(t, func(t *testing.T) {
			b := places.New(12, 512)
			ask := func(who string, got *atomic.Int64) {
				if stay(t.Context(), b, places.Everyone.Of(who), page, 50*time.Millisecond) {
					got.Add(1)
				}
			}
			var others, got atomic.Int64
			for range 12 + test.others { // so many are there
				go ask("other", &others)
			}
			synctest.Wait()
			for range 200 {
				go ask("one", &got)
			}
			time.Sleep(time.Minute)
			if others.Load() != int64(12+test.others) || got.Load() != test.want {
				t.Errorf("%d of one and %d others got a place, want %d and all", got.Load(), others.Load(), test.want)
			}
		})
	}
}

// TestLateBodies: bodies that come late are no more at the origin than may be.
func TestLateBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(8, 512)
		known(t, b)
		come := make(chan struct{})
		for range 400 {
			go func() {
				s, err := b.Wait(t.Context(), places.Changing.Of(""), page, true)
				if err != nil {
					return
				}
				defer s.Leave()
				if <-come; sent(t.Context(), s) == nil {
					time.Sleep(3 * time.Second)
					s.Answered(true, false)
				}
			}()
			time.Sleep(15 * time.Millisecond)
		}
		close(come)
		time.Sleep(time.Second)
		if here := b.Look().Here; here != 8 {
			t.Errorf("%d are here, want 8", here)
		}
		if !stay(t.Context(), b, places.Passed.Of(""), page, 0) && b.Look().Here > 8 {
			t.Error("who has a pass finds no place among too many")
		}
		time.Sleep(10 * time.Second)
	})
}

// TestBrokenOff: who leaves unanswered holds the place for as long as an answer takes.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(4, 512)
		stay(t.Context(), b, places.Everyone.Of(""), page, 1500*time.Millisecond) // what is usual
		var there, most atomic.Int64
		for range 400 {
			ctx, leave := context.WithTimeout(t.Context(), 60*time.Millisecond)
			s, err := b.Wait(ctx, places.Everyone.Of(""), page, false)
			if err == nil {
				most.Store(max(most.Load(), there.Add(1)))
				time.AfterFunc(1500*time.Millisecond, func() { there.Add(-1) }) // the shop works on
				<-ctx.Done()
				s.Leave()
			}
			leave()
		}
		if most.Load() > 4 {
			t.Errorf("the shop works on %d, 4 may be there", most.Load())
		}
		time.Sleep(1500 * time.Millisecond)
		if here := b.Look().Here; here != 0 {
			t.Errorf("%d places are lost", here)
		}
	})
}

// TestOneRouteFails: a page that always fails, or one of many, says nothing of what
// the origin can bear.
func TestOneRouteFails(t *testing.T) {
	t.Parallel()
	for name, everAnswered := range map[string]bool{"always": false, "sometimes": true} {
		synctest.Test(t, func(t *testing.T) {
			s, b := newShop(40, 50*time.Millisecond, 0), places.New(0, 512)
			failing := places.RouteOf("GET", "/fails")
			if everAnswered {
				stay(t.Context(), b, places.Everyone.Of(""), failing, 5*time.Millisecond)
			}
			ctx, end := context.WithTimeout(t.Context(), 40*time.Second)
			defer end()
			go flood(ctx, 150, func() {
				if s, err := b.Wait(ctx, places.Everyone.Of(""), failing, false); err == nil {
					time.Sleep(5 * time.Millisecond)
					s.Answered(false, false)
				}
			})
			all := sum(s.visit(t, b, 400, 40, nothing)[10:])
			time.Sleep(time.Minute)
			if all.served < all.asked*98/100 {
				t.Errorf("%s: %d of %d served", name, all.served, all.asked)
			}
		})
	}
}

// TestOneCallerFails: what one or two ask for that the shop cannot do takes no room from
// the others, on one route as on many that were answered well before. Where nothing is
// answered for four, that is trouble.
func TestOneCallerFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		routes, callers int
		others          bool // are answered
		want            bool // that there is less room
	}{
		{"one, on the only route", 1, 1, true, false},
		{"one, on many", 5, 1, true, false},
		{"two, on many", 5, 2, true, false},
		{"four, on the only route, and nothing else", 1, 4, false, true},
		{"four, on many, and nothing else", 5, 4, false, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := places.New(0, 512)
			for i := range 200 {
				stay(t.Context(), b, places.Everyone.Of(""), places.Route(i%test.routes), 5*time.Millisecond)
			}
			before := b.Look().Limit
			for i := range 2000 {
				if i%4 == 0 && test.others {
					stay(t.Context(), b, places.Everyone.Of(""), places.Route(i/4%test.routes), 5*time.Millisecond)
					continue
				}
				s, in := b.Enter(places.Route(i%test.routes), false)
				if !in {
					t.Fatal("no place")
				}
				time.Sleep(5 * time.Millisecond)
				s.Of(places.Everyone.Of(string(rune('a' + i%test.callers))))
				s.Answered(false, false)
			}
			if after := b.Look().Limit; (after < before) != test.want {
				t.Errorf("%s: %d may be there, before %d", test.name, after, before)
			}
		})
	}
}
