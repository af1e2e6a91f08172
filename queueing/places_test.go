package queueing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// Whatever happens to a line, a number is given once, its place is what the draw
// says and stays so, and the head never goes back.
func TestPlacesNeverGrow(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := newFate(t, seed)
			for range 80 {
				f.strike()
				f.advance(time.Duration(50+f.rng.IntN(100)) * time.Millisecond)
				for _, i := range f.rng.Perm(len(f.edges)) {
					f.check(tick(t, f.edges[i]))
				}
			}
			if f.head == 0 || f.drawn == 0 || f.flushes == 0 || len(f.places) == int(f.drawn) {
				t.Errorf("head %d, %d drawn of %d, forgotten %d times: too little happened", f.head, f.drawn, len(f.places), f.flushes)
			}
		})
	}
}

// fate is a line of three edges that tick ten times a second, and what was seen
// of it.
type fate struct {
	*virtual
	t       *testing.T
	rng     *rand.Rand
	sale    *configs.Sale
	edges   []*queueing.Line
	places  map[uint64]uint64 // number → place; before the draw none, unplaced
	head    uint64
	drawn   uint64
	seed    *queueing.Seed
	flushes int
}

const unplaced = 1 << 63

func newFate(t *testing.T, seed uint64) *fate {
	t.Helper()
	f := &fate{virtual: newVirtual(t), t: t, rng: rand.New(rand.NewPCG(seed, 3)), places: map[uint64]uint64{}}
	f.sale = saleAt(f.now, 3*time.Second, 20, 5)
	for range 3 {
		f.edges = append(f.edges, queueing.NewLine(f.rdb, f.sale).Hasten())
	}
	for _, e := range f.edges {
		tick(t, e)
	}
	return f
}

// strike is what happens between two ticks: one thing, or two at once.
func (f *fate) strike() {
	f.t.Helper()
	for range 1 + f.rng.IntN(2) {
		i := f.rng.IntN(len(f.edges))
		edge, ctx := f.edges[i], f.t.Context()
		var err error
		switch f.rng.IntN(12) {
		case 0: // Redis forgets, and an edge that remembers is the first to speak
			f.flushes++
			if err = f.rdb.FlushAll(ctx).Err(); err == nil {
				f.check(tick(f.t, edge))
				for _, e := range f.edges { // as they do before numbers are given again
					f.check(tick(f.t, e))
				}
				f.advance(pause)
			}
		case 1: // an edge dies, and another one comes, which knows nothing and looks
			f.edges[i] = queueing.NewLine(f.rdb, f.sale).Hasten()
			f.check(tick(f.t, f.edges[i]))
		case 2:
			err = edge.Pause(ctx)
		case 3, 4:
			err = edge.Resume(ctx)
		case 5:
			err = edge.SetRate(ctx, configs.Rate{Count: 1 + f.rng.IntN(50), Per: time.Second})
		case 6, 7:
			if f.head > 0 {
				_, err = edge.Claim(ctx, at(f.rng.Uint64N(f.head)))
			}
			if _, wait := errors.AsType[*queueing.WaitError](err); wait || errors.Is(err, queueing.ErrPaused) {
				err = nil
			}
		default:
			for _, n := range enter(f.t, edge, 1+f.rng.IntN(3)) {
				if _, taken := f.places[n]; taken {
					f.t.Fatalf("number %d given twice", n)
				}
				f.places[n] = unplaced
			}
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// check holds a picture, of whatever edge, to all that were seen before.
func (f *fate) check(s *queueing.Snapshot) {
	f.t.Helper()
	if s.Head < f.head {
		f.t.Fatalf("head %d after %d", s.Head, f.head)
	}
	f.head = s.Head
	if f.seed == nil && s.Drawn {
		f.seed, f.drawn = s.Seed, s.DrawnCount
	}
	if s.Drawn != (f.seed != nil) || s.Drawn && (*s.Seed != *f.seed || s.DrawnCount != f.drawn) {
		f.t.Fatalf("%d are drawn, were %d; drawn: %v", s.DrawnCount, f.drawn, s.Drawn)
	}
	for number, before := range f.places {
		place, ok := s.Place(numbered(number))
		switch {
		case !ok && before == unplaced:
			continue
		case !ok, before != unplaced && place != before:
			f.t.Fatalf("number %d stands at %d, stood at %d", number, place, before)
		case number >= f.drawn && place != number, number < f.drawn && place >= f.drawn:
			f.t.Fatalf("number %d stands at %d, with %d drawn", number, place, f.drawn)
		}
		f.places[number] = place
	}
}
