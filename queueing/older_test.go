package queueing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// Redis forgets just after the draw, before all edges have heard of it, and one
// that has not speaks first: it draws again, among a count that has jumped ahead.
// The first draw is back as soon as an edge speaks that remembers it.
func TestOlderDrawHolds(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Second, 5, 50)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 40)
		tick(t, b)
		s.wait(1050 * time.Millisecond)
		first := tick(t, a)
		forget(t, s)
		fresh := queueing.NewLine(s.rdb, sale) // it begins a line of its own, in which nobody is drawn
		tick(t, fresh)
		if again := tick(t, b); again.Line != first.Line || again.DrawnCount < 40 {
			t.Errorf("line %s, %d drawn; want %s and all who had entered", again.Line, again.DrawnCount, first.Line)
		}
		s.wait(pause)
		late := enter(t, b, 1)[0]
		tick(t, a) // remembers the first
		for name, l := range map[string]*queueing.Line{"had drawn again": b, "came": fresh} {
			if snap := tick(t, l); snap.DrawnCount != 40 || *snap.Draw != *first.Draw {
				t.Errorf("at the edge that %s %d are drawn, want the first draw, of 40", name, snap.DrawnCount)
			}
		}
		if snap := tick(t, a); snap.DrawnCount != 40 {
			t.Errorf("at the edge that remembers %d are drawn", snap.DrawnCount)
		} else if place, ok := snap.Place(numbered(late)); !ok || place != late {
			t.Errorf("number %d stands at %d, want it behind the draw", late, place)
		}
		forget(t, s)
		if snap := tick(t, b); snap.DrawnCount != 40 {
			t.Errorf("the edge that had drawn again puts back a draw of %d", snap.DrawnCount)
		}
	})
}

// The same in any order: once all have spoken, everyone sees what was seen first.
func TestFirstDrawComesBack(t *testing.T) {
	t.Parallel()
	seeds := uint64(10)
	if whole {
		seeds = 100
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			v, rng := newVirtual(t), rand.New(rand.NewPCG(seed, 4))
			sale := saleAt(v.now, time.Second, 20, 5)
			var edges []*queueing.Line
			for range 4 {
				edges = append(edges, queueing.NewLine(v.rdb, sale).Hasten())
				tick(t, edges[len(edges)-1])
			}
			someone := func() *queueing.Line { return edges[rng.IntN(len(edges))] }
			for range 20 {
				enter(t, someone(), rng.IntN(40))
				tick(t, someone())
			}
			v.advance(time.Second)
			first := tick(t, someone())
			for range 1 + rng.IntN(3) {
				for range rng.IntN(3) {
					v.advance(time.Duration(rng.IntN(2)) * time.Microsecond)
					tick(t, someone())
				}
				if err := v.rdb.FlushAll(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
				v.advance(time.Microsecond)
				first := someone()
				tick(t, first)
				v.advance(pause)
				enter(t, first, rng.IntN(3))
			}
			for _, e := range edges {
				tick(t, e)
			}
			for i, e := range edges {
				if snap := tick(t, e); !snap.Drawn || *snap.Draw != *first.Draw {
					t.Errorf("edge %d sees a draw among %d, the first was among %d", i, snap.DrawnCount, first.DrawnCount)
				}
			}
		})
	}
}

// So it is with the public value: an edge that has not heard of it takes another
// one after Redis forgot, which holds until an edge speaks that has.
func TestOlderValueHolds(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := mixedSale(s.now(), time.Hour)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		tick(t, b)
		mix(t, a, value)
		forget(t, s)
		mix(t, b, "of an edge that has not heard")
		for _, l := range []*queueing.Line{a, b} {
			if snap := tick(t, l); snap.Mixed != value {
				t.Errorf("value %q, want the first", snap.Mixed)
			}
		}
		forget(t, s)
		if snap := tick(t, b); snap.Mixed != value {
			t.Errorf("the edge that had not heard puts back %q", snap.Mixed)
		}
	})
}

// forget empties Redis; what comes next is later than what was.
func forget(t *testing.T, s store) {
	t.Helper()
	if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	s.wait(time.Millisecond)
}
