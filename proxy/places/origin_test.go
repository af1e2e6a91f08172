package places_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/places"
)

// shop is an origin in virtual time: it works on so many at once, and each that waits
// slows it down.
type shop struct {
	workers chan struct{}
	service time.Duration
	more    float64 // of service, for each that waits

	mu     sync.Mutex
	random *rand.Rand
	there  atomic.Int64
	most   atomic.Int64
	slower atomic.Int64
	closed atomic.Pointer[chan struct{}] // it stands still until this is closed
	broken atomic.Bool                   // it says at once that it cannot
}

func newShop(workers int, service time.Duration, more float64) *shop {
	s := &shop{workers: make(chan struct{}, workers), service: service, more: more, random: rand.New(rand.NewPCG(1, 2))}
	s.slower.Store(1)
	return s
}

func (s *shop) serve() (could bool) {
	n := s.there.Add(1)
	defer s.there.Add(-1)
	s.most.Store(max(s.most.Load(), n))
	if s.broken.Load() {
		return false
	}
	if still := s.closed.Load(); still != nil {
		<-*still
	}
	s.workers <- struct{}{}
	defer func() { <-s.workers }()
	s.mu.Lock()
	took := exponential(s.random, s.service)
	s.mu.Unlock()
	time.Sleep(time.Duration(float64(took) * float64(s.slower.Load()) * (1 + s.more*float64(max(0, int(n)-cap(s.workers))))))
	return true
}

// second is what came of the requests of one second.
type second struct {
	asked, served int
	hold          []time.Duration // served, of those with a hold
	refusedHold   int
}

// visit sends so many a second, one in fifty with a hold, and says what came of those
// of each second. at is told when each begins.
func (s *shop) visit(t *testing.T, b *places.Bound, perSecond, seconds int, at func(second int)) []second {
	t.Helper()
	return visit(t, b, perSecond, seconds, at, s.serve)
}

func visit(t *testing.T, b *places.Bound, perSecond, seconds int, at func(second int), serve func() bool) []second {
	t.Helper()
	var mu sync.Mutex
	all := make([]second, seconds)
	var group sync.WaitGroup
	for i := range seconds {
		at(i)
		for j := range perSecond {
			class := places.Everyone
			if j%50 == 0 {
				class = places.Holding
			}
			group.Go(func() {
				begun := time.Now()
				stay, err := b.Wait(t.Context(), class.Of(""), places.Route(j%7), false)
				could := err == nil && serve()
				if err == nil {
					stay.Answered(could, false)
					stay.Leave()
				}
				mu.Lock()
				defer mu.Unlock()
				one := &all[i]
				one.asked++
				if could {
					one.served++
				}
				switch {
				case class != places.Holding:
				case could:
					one.hold = append(one.hold, time.Since(begun))
				default:
					one.refusedHold++
				}
			})
			time.Sleep(time.Second / time.Duration(perSecond))
		}
	}
	group.Wait()
	if here := b.Look(); here.Waiting != [4]int{} {
		t.Errorf("left behind: %+v", here)
	}
	return all
}

// sum is what came of several seconds.
func sum(all []second) (s second) {
	for _, one := range all {
		s.asked += one.asked
		s.served += one.served
		s.hold = append(s.hold, one.hold...)
		s.refusedHold += one.refusedHold
	}
	slices.Sort(s.hold)
	return s
}

func (s second) p99() time.Duration { return s.hold[len(s.hold)*99/100] }

func nothing(int) {}

// TestCrowd: with ten times as many as the shop can serve, those with a hold are
// served in about the time of a few answers, the shop is never piled up, and serves
// nearly as many as it can.
func TestCrowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := newShop(8, 50*time.Millisecond, 0.02), places.New(0, 512)
		all := sum(s.visit(t, b, 1600, 30, nothing)[2:])
		if all.refusedHold > 0 || all.p99() > time.Second {
			t.Errorf("with a hold: %d refused, 99th percentile %v", all.refusedHold, all.p99())
		}
		if perSecond := all.served / 28; perSecond < 95 {
			t.Errorf("%d a second, of 160 that it can serve", perSecond)
		}
		if most := s.most.Load(); most > 64 {
			t.Errorf("%d at once, at a shop that works on 8", most)
		}
	})
}

// TestCrowd_None shows the same without a bound, so that the test above can fail.
func TestCrowd_None(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(8, 50*time.Millisecond, 0.02)
		all := sum(s.visit(t, nil, 320, 4, nothing))
		if s.most.Load() < 500 || all.p99() < 5*time.Second {
			t.Errorf("%d at once, 99th percentile %v: no crowd", s.most.Load(), all.p99())
		}
	})
}

// TestCalm: nobody waits, nor is refused, while the shop has time for all, many
// workers or few, once the first second has shown that.
func TestCalm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		workers   int
		service   time.Duration
		perSecond int
	}{
		{"small", 8, 50 * time.Millisecond, 60},
		{"large", 1000, 50 * time.Millisecond, 2000},
		{"slow", 200, time.Second, 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, b := newShop(test.workers, test.service, 0), places.New(0, 512)
				seconds := s.visit(t, b, test.perSecond, 40, nothing)
				if all := sum(seconds[20:]); all.served < all.asked*999/1000 || all.refusedHold > 0 {
					t.Errorf("%d of %d served", all.served, all.asked)
				}
			})
		})
	}
}

// TestStep: a shop five times slower is not taken for a crowd for long, and is asked
// for as much as it can do when it is as before.
func TestStep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := newShop(8, 50*time.Millisecond, 0.02), places.New(0, 512)
		seconds := s.visit(t, b, 480, 75, func(second int) {
			switch second {
			case 15:
				s.slower.Store(5)
			case 45:
				s.slower.Store(1)
			}
		})
		for _, span := range []struct{ from, to, least int }{{5, 15, 80}, {30, 45, 14}, {60, 75, 80}} {
			all := sum(seconds[span.from:span.to])
			if got := all.served / (span.to - span.from); got < span.least || all.refusedHold > 0 {
				t.Errorf("from second %d to %d: %d a second, want %d; %d with a hold refused", span.from, span.to, got, span.least, all.refusedHold)
			}
		}
		if most := s.most.Load(); most > 100 {
			t.Errorf("%d at once", most)
		}
	})
}

// TestStandsStill: nothing piles up at a shop that stands still, and it has as much to
// do as before within two seconds when it is back.
func TestStandsStill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := newShop(8, 50*time.Millisecond, 0.02), places.New(0, 512)
		still := make(chan struct{})
		seconds := s.visit(t, b, 320, 60, func(second int) {
			switch second {
			case 10:
				s.closed.Store(&still)
			case 40:
				s.closed.Store(nil)
				close(still)
			}
		})
		if all := sum(seconds[42:60]); all.served/18 < 80 || all.refusedHold > 0 {
			t.Errorf("%d a second afterwards, %d with a hold refused", all.served/18, all.refusedHold)
		}
		if most := s.most.Load(); most > 64 {
			t.Errorf("%d at once", most)
		}
	})
}

// TestStandsStillAtFirst: a shop that answers nobody for the first half minute is not
// taken for one of long polls: soon afterwards it is asked for what it can do, and no
// more than a crowd's worth is there at once.
func TestStandsStillAtFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := newShop(8, 50*time.Millisecond, 0.02), places.New(0, 512)
		still := make(chan struct{})
		s.closed.Store(&still)
		seconds := s.visit(t, b, 320, 90, func(second int) {
			switch second {
			case 30:
				s.closed.Store(nil)
				close(still)
			case 60:
				s.most.Store(0)
			}
		})
		if all := sum(seconds[60:]); all.served/30 < 80 || all.refusedHold > 0 {
			t.Errorf("%d a second afterwards, %d with a hold refused", all.served/30, all.refusedHold)
		}
		if most := s.most.Load(); most > 64 {
			t.Errorf("%d at once", most)
		}
	})
}

// TestBroken: a shop that says that it cannot is asked little, and as much as before
// soon after it can again.
func TestBroken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := newShop(8, 50*time.Millisecond, 0.02), places.New(0, 512)
		seconds := s.visit(t, b, 480, 30, func(second int) {
			s.broken.Store(second >= 10 && second < 20)
			if second == 19 && b.Look().Limit > 8 {
				t.Errorf("so many may be there while it is broken: %d", b.Look().Limit)
			}
		})
		if all := sum(seconds[22:]); all.served/8 < 80 {
			t.Errorf("%d a second afterwards", all.served/8)
		}
	})
}

// TestLongPolls: those who wait for news on the shop's side take nobody's place for
// long, though there are many more than places: also those who come when it is busy, so
// that none of them is ever seen alone.
func TestLongPolls(t *testing.T) {
	t.Parallel()
	for after, served := range map[time.Duration]int{0: 98, 4 * time.Second: 95, 8 * time.Second: 95} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { testLongPolls(t, after, served) })
		})
	}
}

// testLongPolls has them come so long after the others, of whom so many in a hundred are
// served all the same.
func testLongPolls(t *testing.T, after time.Duration, served int) {
	s, b := newShop(8, 50*time.Millisecond, 0.02), places.New(0, 512)
	var polls sync.WaitGroup
	poll := places.RouteOf("GET", "/news/wait")
	for range 40 {
		polls.Go(func() {
			time.Sleep(after)
			for range 4 {
				stay, err := b.Wait(t.Context(), places.Everyone.Of(""), poll, false)
				if err != nil {
					time.Sleep(3 * time.Second)
					continue
				}
				time.Sleep(20 * time.Second)
				stay.Answered(true, false)
				stay.Leave()
			}
		})
	}
	all := sum(s.visit(t, b, 80, 70, nothing)[15+after/time.Second:])
	if all.served < all.asked*served/100 {
		t.Errorf("%d of %d served beside the long polls", all.served, all.asked)
	}
	polls.Wait()
}

// TestOneOfTwoIsSlow: with one of two servers five times slower than the other, for
// good, the shop is asked for nearly as much as both can do in turn.
func TestOneOfTwoIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, other, b := newShop(8, 50*time.Millisecond, 0.02), newShop(8, 50*time.Millisecond, 0.02), places.New(0, 1024)
		var turns atomic.Int64
		all := sum(visit(t, b, 480, 60, func(second int) {
			if second == 15 {
				other.slower.Store(5)
			}
		}, func() bool {
			if turns.Add(1)%2 == 0 {
				return one.serve()
			}
			return other.serve()
		})[40:])
		if got := all.served / 20; got < 36 || all.refusedHold > 0 { // each in turn: twice what the slow one can do, 64
			t.Errorf("%d a second, %d with a hold refused", got, all.refusedHold)
		}
		if most := one.most.Load() + other.most.Load(); most > 200 {
			t.Errorf("%d at once", most)
		}
	})
}
