package places_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/places"
)

var page = places.RouteOf("GET", "/toys/1")

// fill takes all places of a bound.
func fill(t *testing.T, b *places.Bound, n int) (stays []*places.Stay) {
	t.Helper()
	for i := range n {
		s, in := b.Enter(page, false)
		if !in {
			t.Fatalf("no place for number %d of %d", i+1, n)
		}
		stays = append(stays, s)
	}
	if _, in := b.Enter(page, false); in {
		t.Fatalf("a place beyond %d", n)
	}
	return stays
}

func report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// known makes the route one that is answered soon.
func known(t *testing.T, b *places.Bound) {
	t.Helper()
	s, in := b.Enter(page, false)
	if !in {
		t.Fatal("no place")
	}
	time.Sleep(10 * time.Millisecond)
	s.Answered(true, false)
	s.Leave()
}

// TestOrder: places go to those with a hold first and then down the classes, the
// oldest of each first, and each so many to a lower one.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(1, 512)
		known(t, b)
		first := fill(t, b, 1)[0]
		var mu sync.Mutex
		var got []places.Class
		var all sync.WaitGroup
		for i := range 48 {
			class := places.Classes[3-i%4]
			all.Go(func() {
				s, err := b.Wait(t.Context(), class.Of(""), page, false)
				if err != nil {
					t.Errorf("%v: %v", class, err)
					return
				}
				mu.Lock()
				got = append(got, class)
				mu.Unlock()
				s.Answered(true, false)
				s.Leave()
			})
			synctest.Wait()
		}
		first.Answered(true, false)
		first.Leave()
		all.Wait()
		lower := 0
		for i := range 12 {
			if got[i] != places.Holding {
				lower++
			}
		}
		if lower != 1 {
			t.Errorf("%d of the first twelve are of a lower class, want one in ten: %v", lower, got)
		}
		if !slices.Contains(got[:40], places.Everyone) {
			t.Errorf("nobody of everyone among forty: %v", got)
		}
	})
}

// TestWaits: who finds no place waits so long, and longer with a hold; who leaves
// gives up.
func TestWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(2, 512)
		known(t, b)
		fill(t, b, 2)
		for class, want := range map[places.Class]time.Duration{
			places.Holding: 5 * time.Second, places.Passed: 1500 * time.Millisecond, places.Everyone: 1500 * time.Millisecond,
		} {
			begun := time.Now()
			if _, err := b.Wait(t.Context(), class.Of(""), page, false); !errors.Is(err, places.ErrFull) || time.Since(begun) != want {
				t.Errorf("%v: got %v after %v, want %v after %v", class, err, time.Since(begun), places.ErrFull, want)
			}
		}
		gone := errors.New("gone")
		ctx, leave := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { leave(gone) })
		if _, err := b.Wait(ctx, places.Everyone.Of(""), page, false); !errors.Is(err, gone) {
			t.Errorf("who left got %v", err)
		}
		if s := b.Look(); s.Here != 2 || s.Waiting != [4]int{} {
			t.Errorf("left behind: %+v", s)
		}
	})
}

// TestPile: only so many wait. One more is refused at once, or takes the place of the
// last of a lower class.
func TestPile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(1, 512)
		known(t, b)
		last := fill(t, b, 1)[0]
		var refused atomic.Int64
		var all sync.WaitGroup
		wait := func(class places.Class) {
			all.Go(func() {
				s, err := b.Wait(t.Context(), class.Of(""), page, false)
				if err != nil {
					refused.Add(1)
					return
				}
				s.Answered(true, false)
				s.Leave()
			})
		}
		for range 1000 {
			wait(places.Everyone)
		}
		synctest.Wait()
		waiting := b.Look().Waiting[places.Everyone]
		if waiting == 0 || waiting > 256 || int(refused.Load()) != 1000-waiting {
			t.Errorf("%d wait, %d were refused at once", waiting, refused.Load())
		}
		wait(places.Holding)
		synctest.Wait()
		if s := b.Look(); s.Waiting[places.Holding] != 1 || s.Waiting[places.Everyone] != waiting-1 {
			t.Errorf("with a hold: %v", s.Waiting)
		}
		last.Leave()
		all.Wait()
	})
}

// TestPlacesLapse: a body that does not come, an answer that does not end, and a
// request of which nobody knows how long it takes hold no place for long; one that
// should be answered does.
func TestPlacesLapse(t *testing.T) {
	t.Parallel()
	const never = -1
	for _, test := range []struct {
		name  string
		known bool
		body  bool
		then  func(*places.Stay)
		after time.Duration
	}{
		{"slow upload", true, true, func(*places.Stay) {}, 100 * time.Millisecond},
		{"client that takes its time", true, false, func(s *places.Stay) { s.Answered(true, true); s.Works(); s.Rests() }, 0},
		{"next part of an answer", true, false, func(s *places.Stay) { s.Answered(true, true); s.Rests(); s.Works() }, time.Second},
		{"slow answer", true, false, func(s *places.Stay) { s.Answered(true, true) }, time.Second},
		{"kind that is not known", false, false, func(*places.Stay) {}, time.Second},
		{"kind that is known", true, false, func(*places.Stay) {}, never},
		{"body that has come", true, true, func(s *places.Stay) { report(t, sent(t.Context(), s)) }, never},
		{"kind that is not known, and left", false, false, (*places.Stay).Leave, time.Second},
		{"kind that is known, and left", true, false, (*places.Stay).Leave, 10 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := places.New(1, 512)
				if test.known {
					known(t, b)
				}
				s, _ := b.Enter(page, test.body)
				test.then(s)
				begun := time.Now()
				other, err := b.Wait(t.Context(), places.Everyone.Of(""), page, false)
				if got := time.Since(begun); (err != nil) != (test.after == never) || err == nil && got != test.after {
					t.Errorf("got a place after %v, %v; want after %v", got, err, test.after)
				}
				s.Leave()
				s.Leave()
				other.Answered(true, false)
				other.Leave()
				if here := b.Look().Here; here != 0 {
					t.Errorf("%d places are lost", here)
				}
			})
		})
	}
}

// sent is Sent of nobody in particular.
func sent(ctx context.Context, s *places.Stay) error {
	return s.Sent(ctx, func() places.Who { return places.Changing.Of("") })
}

// TestSentWaits: an upload that has come and lost its place waits for another one, as
// what it is, and is refused where there is none; with an early answer it needs none.
func TestSentWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := places.New(1, 512)
		known(t, b)
		late := func() *places.Stay {
			upload, _ := b.Enter(page, true)
			time.Sleep(200 * time.Millisecond)
			return upload
		}
		upload := late()
		other, in := b.Enter(page, false)
		if !in {
			t.Fatal("the upload still has the place")
		}
		begun := time.Now()
		time.AfterFunc(time.Second, func() { other.Answered(true, false) })
		if err := sent(t.Context(), upload); err != nil || time.Since(begun) != time.Second || b.Look().Here != 1 {
			t.Errorf("got %v after %v, %d are here", err, time.Since(begun), b.Look().Here)
		}
		upload.Answered(true, false)
		upload.Leave()

		upload = late()
		other = fill(t, b, 1)[0]
		begun = time.Now()
		if err := sent(t.Context(), upload); !errors.Is(err, places.ErrFull) || time.Since(begun) != 1500*time.Millisecond {
			t.Errorf("without a place: got %v after %v", err, time.Since(begun))
		}
		upload.Leave()
		other.Answered(true, false)

		upload = late()
		other = fill(t, b, 1)[0]
		time.AfterFunc(time.Millisecond, func() { upload.Answered(true, false) })
		if err := sent(t.Context(), upload); err != nil || b.Look() != (places.Sight{Limit: 1, Here: 1, Slower: 1, Took: b.Look().Took}) {
			t.Errorf("answered early: got %v, %+v", err, b.Look())
		}
		upload.Leave()
		if err := sent(t.Context(), upload); err != nil {
			t.Error(err)
		}
		other.Answered(true, false)
		if here := b.Look().Here; here != 0 {
			t.Errorf("%d are here, want nobody", here)
		}
	})
}

// TestNone: without a bound everybody is let in, and nothing is counted.
func TestNone(t *testing.T) {
	t.Parallel()
	var b *places.Bound
	s, in := b.Enter(page, true)
	report(t, sent(t.Context(), s))
	s.Answered(false, false)
	s.Leave()
	if !in || s != nil || b.Look() != (places.Sight{}) {
		t.Errorf("got %v %v", s, in)
	}
}

// TestRouteOf: what a shop wrote into its code tells routes apart, what it looks up
// does not.
func TestRouteOf(t *testing.T) {
	t.Parallel()
	of := places.RouteOf
	for _, same := range [][2]string{{"/toys/1", "/toys/golden-toy"}, {"/a/b/c/d", "/a/b/c"}, {"//a/b", "/a//b"}, {"", "/"}} {
		if of("GET", same[0]) != of("GET", same[1]) {
			t.Errorf("%q and %q are not the same", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"/toys/1", "/toys"}, {"/api/wait", "/api/items"}, {"/login", "/logout"}} {
		if of("GET", other[0]) == of("GET", other[1]) {
			t.Errorf("%q and %q are the same", other[0], other[1])
		}
	}
	if of("GET", "/login") == of("POST", "/login") {
		t.Error("methods are the same")
	}
}

func FuzzRouteOf(f *testing.F) {
	f.Add("GET", "/a/../b//")
	f.Fuzz(func(t *testing.T, method, path string) {
		if r := places.RouteOf(method, path); r >= 512 {
			t.Errorf("route %d", r)
		}
	})
}

func BenchmarkStay(b *testing.B) {
	for _, one := range []struct {
		name  string
		bound *places.Bound
	}{{"auto", places.New(0, 512)}, {"off", nil}} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, in := one.bound.Enter(places.RouteOf("GET", "/toys/golden-toy"), false)
				if !in {
					b.Fatal("no place")
				}
				s.Answered(true, false)
			}
		})
	}
}

// exponential is how long things take that vary a lot.
func exponential(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(mean))
}
