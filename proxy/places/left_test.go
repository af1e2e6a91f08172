package places_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/places"
)

// breaksOff is one request whose client leaves so soon; the shop works on for work, as
// there says.
func breaksOff(ctx context.Context, b *places.Bound, who places.Who, route places.Route, leaves, work time.Duration, there *atomic.Int64) {
	s, in := b.Enter(route, false)
	if !in {
		var err error
		if s, err = b.Wait(ctx, who, route, false); err != nil {
			return
		}
	}
	there.Add(1)
	time.AfterFunc(work, func() { there.Add(-1) })
	time.Sleep(leaves)
	s.Of(who)
	s.Leave()
}

// TestOneBreaksOff: one who opens requests and breaks them off has half of the places at
// most, on a kind that is known and on one that is not; others are served beside that,
// though nobody of them waits. Afterwards nothing is left of it.
func TestOneBreaksOff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		route places.Route
		works time.Duration
		most  int64
	}{
		"known":   {page, time.Second, 8},
		"unknown": {places.RouteOf("GET", "/report"), 4900 * time.Millisecond, 8 + 6 + 1}, // a few may go on unseen, and one has not left yet
	} {
		synctest.Test(t, func(t *testing.T) {
			b := places.New(16, 512)
			stay(t.Context(), b, places.Everyone.Of(""), page, time.Second)
			ctx, end := context.WithTimeout(t.Context(), 40*time.Second)
			defer end()
			one := places.Everyone.Of("one")
			var theirs, most, asked, got atomic.Int64
			go flood(ctx, 100, func() {
				breaksOff(ctx, b, one, test.route, time.Millisecond, test.works, &theirs)
				most.Store(max(most.Load(), theirs.Load()))
			})
			flood(ctx, 6, func() {
				asked.Add(1)
				if stay(t.Context(), b, places.Everyone.Of("other"), page, time.Second) {
					got.Add(1)
				}
			})
			time.Sleep(time.Minute)
			if most.Load() > test.most {
				t.Errorf("%s: the shop works on %d of one, want %d, half of the places are 8", name, most.Load(), test.most)
			}
			if got.Load() < asked.Load() {
				t.Errorf("%s: %d of %d others got a place", name, got.Load(), asked.Load())
			}
			if s := b.Look(); s.Here != 0 || s.Waiting != [4]int{} {
				t.Errorf("%s: left behind: %+v", name, s)
			}
			if s, in := b.Enter(page, false); !in {
				t.Errorf("%s: no place afterwards", name)
			} else {
				s.Leave()
			}
		})
	}
}

// TestBrowserBreaksOff: who leaves a page of which much was still to come is served the
// next one as soon as there is room, and is not refused.
func TestBrowserBreaksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(8, 512)
		who := places.Everyone.Of("one")
		stay(t.Context(), b, who, page, 500*time.Millisecond)
		var there, got atomic.Int64
		for range 6 {
			go breaksOff(t.Context(), b, who, page, 100*time.Millisecond, 500*time.Millisecond, &there)
		}
		time.Sleep(101 * time.Millisecond)
		for range 6 {
			go func() {
				if stay(t.Context(), b, who, page, 500*time.Millisecond) {
					got.Add(1)
				}
			}()
		}
		time.Sleep(time.Minute)
		if got.Load() != 6 {
			t.Errorf("%d of 6 were served", got.Load())
		}
	})
}

// TestManyBreakOff: the shop works on no more than may be there, and may go on unseen,
// of a kind that nobody waits for, whoever they are and however long it works.
func TestManyBreakOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(16, 512)
		ctx, end := context.WithTimeout(t.Context(), 40*time.Second)
		defer end()
		var there, most, n atomic.Int64
		flood(ctx, 200, func() {
			who := places.Everyone.Of(fmt.Sprint(n.Add(1)))
			breaksOff(ctx, b, who, page, time.Millisecond, 4900*time.Millisecond, &there)
			most.Store(max(most.Load(), there.Load()))
		})
		if most.Load() > 16+128 {
			t.Errorf("the shop works on %d, want 16 and 128 at most", most.Load())
		}
		time.Sleep(time.Minute)
		if here := b.Look().Here; here != 0 {
			t.Errorf("%d places are lost", here)
		}
	})
}

// TestSentCountsOnce: who waits for a place and, once the body has come late, for
// another one, counts once, and no more when that is over.
func TestSentCountsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(1, 512)
		known(t, b)
		one := func() places.Who { return places.Passed.Of("one") }
		for range 8 {
			first := fill(t, b, 1)[0]
			time.AfterFunc(10*time.Millisecond, func() { first.Answered(true, false) })
			late, err := b.Wait(t.Context(), one(), page, true)
			report(t, err)
			time.Sleep(200 * time.Millisecond) // its place is gone
			second := fill(t, b, 1)[0]
			time.AfterFunc(10*time.Millisecond, func() { second.Answered(true, false) })
			report(t, late.Sent(t.Context(), one))
			late.Answered(true, false)
			late.Leave()
		}
		last := fill(t, b, 1)[0]
		go stay(t.Context(), b, one(), page, 0)
		synctest.Wait()
		if got := b.Look().Waiting; got[places.Passed] != 1 {
			t.Errorf("waiting %v, want one of those with a pass", got)
		}
		last.Answered(true, false)
		time.Sleep(time.Minute)
	})
}

// TestUnknownBreaksOff: who has broken off many requests of a kind that is not known
// waits for their next one, and is not refused for those that go on unseen.
func TestUnknownBreaksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(16, 512)
		who := places.Everyone.Of("one")
		stay(t.Context(), b, who, page, 100*time.Millisecond)
		var there atomic.Int64
		for range 14 {
			go breaksOff(t.Context(), b, who, places.RouteOf("GET", "/report"), time.Millisecond, time.Second, &there)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(3900 * time.Millisecond) // six go on unseen, eight have half of the places
		begun := time.Now()
		if !stay(t.Context(), b, who, page, 100*time.Millisecond) {
			t.Errorf("was refused after %v", time.Since(begun))
		}
		time.Sleep(time.Minute)
	})
}
