package queueing_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/queueing"
)

// enterBehind lets n enter who are to stand behind the draw.
func enterBehind(t testing.TB, l *queueing.Line, n int) (numbers []queueing.Number) {
	t.Helper()
	for range n {
		number, err := l.Enter(t.Context(), queueing.Entry{Behind: true})
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number.Number)
	}
	return numbers
}

// behind is a number of those behind the draw.
func behind(value uint64) queueing.Number { return queueing.Number{Value: value, Behind: true} }

func place(t testing.TB, s *queueing.Snapshot, n queueing.Number) uint64 {
	t.Helper()
	p, ok := s.Place(n)
	if !ok {
		t.Fatalf("%+v has no place", n)
	}
	return p
}

// Who is put behind the draw stands behind all who are in it, whenever those came, in
// the order of arrival and before all who come later.
func TestBehindTheDraw(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Second, 100, 10)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 5)
		got := append(enterBehind(t, a, 2), enterBehind(t, b, 1)...)
		if want := []queueing.Number{behind(0), behind(1), behind(2)}; !slices.Equal(got, want) {
			t.Errorf("behind the draw: %v, want %v", got, want)
		}
		if n := enter(t, b, 2); n[0] != 5 || n[1] != 6 {
			t.Errorf("in the draw: %v, want 5 and 6", n)
		}
		before := tick(t, a)
		if before.Entered != 7 || before.Behind != 3 {
			t.Errorf("%d entered, %d behind; want 7 and 3", before.Entered, before.Behind)
		}
		if st := before.Standing(behind(1)); st != (queueing.Standing{State: queueing.StandingWaiting, Behind: true}) {
			t.Errorf("before the draw: %+v, want waiting behind it, without a place or a time", st)
		}

		s.wait(1050 * time.Millisecond)
		late := append(enterBehind(t, b, 1), enterBehind(t, a, 1)...) // nobody ticked since opening
		late = append(late, queueing.Number{Value: enter(t, b, 1)[0]})
		if want := []queueing.Number{{Value: 10}, {Value: 11}, {Value: 12}}; !slices.Equal(late, want) {
			t.Errorf("after the draw: %v, want %v", late, want)
		}
		for _, edge := range []*queueing.Line{a, b} {
			snap := tick(t, edge)
			if snap.DrawnCount != 7 || snap.Behind != 3 || snap.Entered != 13 {
				t.Errorf("%d drawn, %d behind, %d entered; want 7, 3 and 13", snap.DrawnCount, snap.Behind, snap.Entered)
			}
			for i, n := range append(got, late...) {
				if p := place(t, snap, n); p != uint64(7+i) {
					t.Errorf("%+v has place %d, want %d", n, p, 7+i)
				}
			}
			if st := snap.Standing(behind(1)); !st.Behind || !st.Drawn || st.Place != 8 || st.State == queueing.StandingLottery {
				t.Errorf("after the draw: %+v, want place 8", st)
			}
		}
	})
}

// They come in as everybody does, once the head is beyond them.
func TestBehindTheDrawClaims(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, saleAt(v.now, time.Second, 100, 10)).Hasten()
	enter(t, l, 3)
	n := enterBehind(t, l, 1)[0]
	v.advance(time.Second)
	var snap *queueing.Snapshot
	for range 30 {
		snap = tick(t, l)
		v.advance(100 * time.Millisecond)
	}
	if st := snap.Standing(n); st.State != queueing.StandingCalled {
		t.Fatalf("%+v, want called", st)
	}
	if _, err := l.Claim(t.Context(), at(place(t, snap, n))); err != nil {
		t.Error(err)
	}
}

// A draw that waits for its public value has counted who is in it: then places behind
// it are known.
func TestBehindADrawThatWaits(t *testing.T) {
	t.Parallel()
	s := snapshot(func(s *queueing.Snapshot) { overdue(s); s.Behind = 20 })
	want := queueing.Standing{State: queueing.StandingWaiting, Place: 805, Ahead: 805, Drawn: true, Behind: true}
	if got := s.Standing(behind(5)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Until there is a draw, who stands behind it asks as seldom as those who are in it.
func TestBehindPolls(t *testing.T) {
	t.Parallel()
	s := snapshot(func(s *queueing.Snapshot) {
		s.State, s.Drawn, s.Draw, s.Head, s.Now = queueing.StateDoors, false, nil, 0, s.Opens.Add(-5*time.Second)
	})
	for _, jitter := range []float64{0, 0.5, 0.9} {
		got, want := s.PollAfter(s.Standing(behind(7)), jitter), s.PollAfter(s.Standing(numbered(7)), jitter)
		if got != want {
			t.Errorf("after %v, want %v", got, want)
		}
	}
}

// An account keeps what it got first; but one that is behind the draw may come to be
// in it, as long as there is none, and stays there.
func TestAccountStaysWhereItIs(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Second, 100, 10)
		l := queueing.NewLine(s.rdb, sale)
		ask := func(account string, behind bool, want queueing.Number) {
			t.Helper()
			n, err := l.Enter(t.Context(), queueing.Entry{Account: account, Behind: behind})
			if err != nil || n.Number != want {
				t.Errorf("%s has %+v, want %+v: %v", account, n, want, err)
			}
		}
		for range 2 {
			ask("anna", true, queueing.Number{Behind: true})
			ask("bert", false, queueing.Number{})
			ask("bert", true, queueing.Number{})
			ask("carla", true, queueing.Number{Value: 1, Behind: true})
		}
		for _, behind := range []bool{false, false, true} {
			ask("carla", behind, queueing.Number{Value: 1})
		}
		s.wait(1050 * time.Millisecond)
		for _, behind := range []bool{false, true} {
			ask("anna", behind, queueing.Number{Behind: true})
			ask("bert", behind, queueing.Number{})
			ask("carla", behind, queueing.Number{Value: 1})
		}
	})
}

// Entries of every kind go in the same calls, and each is given its own.
func TestEntriesOfAllKindsGoTogether(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		l := queueing.NewLine(s.rdb, saleAt(s.now(), time.Hour, 100, 10))
		const each = 100
		var mu sync.Mutex
		given := map[queueing.Number]int{}
		var all sync.WaitGroup
		for i := range 8 * each {
			e := queueing.Entry{Behind: i%2 == 0}
			if i%4 < 2 {
				e.Account = fmt.Sprint(i)
			}
			if i%8 < 4 {
				e.Proof = proof(uint64(i), s.now().Add(time.Minute))
			}
			all.Go(func() {
				n, err := l.Enter(t.Context(), e)
				mu.Lock()
				defer mu.Unlock()
				if given[n.Number]++; err != nil || n.Behind != e.Behind || given[n.Number] > 1 || n.Value >= 4*each {
					t.Errorf("%+v is given %+v, for the %d. time: %v", e, n, given[n.Number], err)
				}
			})
		}
		all.Wait()
		if snap := tick(t, l); snap.Entered != 4*each || snap.Behind != 4*each {
			t.Errorf("%d entered, %d behind; want %d of each", snap.Entered, snap.Behind, 4*each)
		}
	})
}

// A hash of a build that knew of nobody behind a draw goes on, and one that such a
// build drew has everybody's place.
func TestLineOfAnOlderBuild(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	sale := saleAt(v.now, time.Second, 100, 10)
	key := "wr:{line:golden-toy}"
	old := queueing.NewLine(v.rdb, sale).Hasten()
	enter(t, old, 10)
	tick(t, old)
	if err := v.rdb.HDel(t.Context(), key, "behind", "proofs").Err(); err != nil {
		t.Fatal(err)
	}
	// A picture of other fields is not read.
	if err := v.rdb.HSet(t.Context(), key, "shown", `["1","2"]`, "turn", v.now.UnixMicro()/250_000).Err(); err != nil {
		t.Fatal(err)
	}
	l := queueing.NewLine(v.rdb, sale).Hasten()
	if snap := tick(t, l); snap.Entered != 10 || snap.Behind != 0 || snap.Shown.Entered != 10 {
		t.Errorf("%d entered, %d behind, %d published", snap.Entered, snap.Behind, snap.Shown.Entered)
	}
	last := enterBehind(t, l, 3)[2]
	v.advance(time.Second)
	// Here that build draws: the count of numbers stays as it is.
	if err := v.rdb.HSet(t.Context(), key, "drawn", 10, "drawnat", v.now.UnixMicro()).Err(); err != nil {
		t.Fatal(err)
	}
	late := enter(t, l, 1)[0]
	if snap := tick(t, l); place(t, snap, last) != 12 || late != 13 {
		t.Errorf("the last behind has place %d, who came later %d; want 12 and 13", place(t, snap, last), late)
	}
}

// whoEntered are the tickets of a line, with the place that each had when it was
// first known.
type whoEntered map[queueing.Number]uint64

// Whatever Redis forgets, and when: no two have one place, who is behind the draw is
// behind it, and no place changes. Every edge says what it remembers, as its ticks do,
// before numbers are given again.
func TestPlacesBehindTheDrawOutliveLosses(t *testing.T) {
	t.Parallel()
	seeds := uint64(8)
	if whole {
		seeds = 500
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			v, rng := newVirtual(t), rand.New(rand.NewPCG(seed, 9))
			sale := saleAt(v.now, 10*time.Second, 20, 5)
			var edges []*queueing.Line
			for range 3 {
				edges = append(edges, queueing.NewLine(v.rdb, sale).Hasten())
			}
			all := whoEntered{}
			everyEdge := func() (last *queueing.Snapshot) {
				for _, i := range rng.Perm(len(edges)) {
					last = tick(t, edges[i])
				}
				return last
			}
			everyEdge()
			for range 120 {
				e := edges[rng.IntN(len(edges))]
				switch rng.IntN(12) {
				case 0:
					v.advance(time.Duration(rng.IntN(1000)) * time.Millisecond)
				case 1:
					older := copyOf(t, v.rdb)
					all.enter(t, e, rng)
					lose(t, v.rdb, older, rng)
					v.advance(time.Microsecond)
					everyEdge()
					v.advance(pause)
				case 2:
					tick(t, e)
				default:
					all.enter(t, e, rng)
				}
				all.check(t, everyEdge())
			}
			v.advance(10 * time.Second)
			all.check(t, everyEdge())
		})
	}
}

// enter lets somebody enter, who may be put behind the draw.
func (w whoEntered) enter(t *testing.T, l *queueing.Line, rng *rand.Rand) {
	t.Helper()
	e := queueing.Entry{Behind: rng.IntN(2) == 0}
	if rng.IntN(2) == 0 {
		e.Account = fmt.Sprint(rng.IntN(1 << 30))
	}
	n, err := l.Enter(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if _, twice := w[n.Number]; twice {
		t.Fatalf("%+v is given twice", n)
	}
	w[n.Number] = noPlace
}

const noPlace = 1 << 60

func (w whoEntered) check(t *testing.T, s *queueing.Snapshot) {
	t.Helper()
	if !s.Drawn {
		return
	}
	of := map[uint64]queueing.Number{}
	for n, was := range w {
		p := place(t, s, n)
		if other, taken := of[p]; taken {
			t.Fatalf("%+v and %+v have place %d", n, other, p)
		}
		of[p], w[n] = n, p
		if was != noPlace && p != was {
			t.Fatalf("%+v has place %d, had %d", n, p, was)
		}
		if n.Behind && p < s.DrawnCount || p >= s.Entered {
			t.Fatalf("%+v has place %d; %d are drawn, %d entered", n, p, s.DrawnCount, s.Entered)
		}
	}
}

// copyOf is what an older copy of Redis has of the line.
func copyOf(t *testing.T, rdb redis.UniversalClient) map[string]string {
	t.Helper()
	hash, err := rdb.HGetAll(t.Context(), "wr:{line:golden-toy}").Result()
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// lose puts the older copy in place, or nothing.
func lose(t *testing.T, rdb redis.UniversalClient, older map[string]string, rng *rand.Rand) {
	t.Helper()
	if err := rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if rng.IntN(2) == 0 {
		return
	}
	if err := rdb.HSet(t.Context(), "wr:{line:golden-toy}", older).Err(); err != nil {
		t.Fatal(err)
	}
}
