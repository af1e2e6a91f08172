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

// unitSale gives no more passes than there are units.
func unitSale(now time.Time, perSecond, burst int) *configs.Sale {
	sale := saleAt(now, 0, perSecond, burst)
	sale.MatchStock = true
	return sale
}

// shop is a gate that is but a number, and the edges of a sale before it, each of
// which looks, ticks and tells in steps of its own.
type shop struct {
	t     *testing.T
	v     *virtual
	rng   *rand.Rand
	sale  *configs.Sale
	edges []*shopEdge

	left   int                  // units at the gate
	passes map[uint64]time.Time // unused ones, by when they end
	used   map[uint64]time.Time // those that were, by when they would have ended
	owed   []uint64             // places that got their unit, and of which no edge has told yet
	sold   int
	most   int  // passes unused at a time
	hush   bool // not every edge has said yet what it remembers
}

// shopEdge is one edge, with what its look at the gate was when it last took one.
type shopEdge struct {
	line  *queueing.Line
	stage int // of its next tick
	stock queueing.Stock
}

func newShop(t *testing.T, seed uint64, units, edges int) *shop {
	t.Helper()
	v := newVirtual(t)
	s := &shop{t: t, v: v, rng: rand.New(rand.NewPCG(seed, 7)), left: units, passes: map[uint64]time.Time{}, used: map[uint64]time.Time{}}
	s.sale = unitSale(v.now, 200, 20)
	s.sale.Doors, s.sale.Opens = v.now.Add(-time.Hour), v.now.Add(time.Second)
	for range edges {
		s.edges = append(s.edges, &shopEdge{line: queueing.NewLine(v.rdb, s.sale).Hasten()})
	}
	return s
}

func (s *shop) someone() *shopEdge { return s.edges[s.rng.IntN(len(s.edges))] }

// step takes the edge one step further: it reads what is spent, looks, ticks.
func (s *shop) step(e *shopEdge) {
	s.t.Helper()
	switch e.stage {
	case 0:
		e.stock = queueing.Stock{Spent: e.line.Spent()}
	case 1:
		e.stock.Left = s.left
	case 2:
		snap, err := e.line.Tick(s.t.Context(), e.stock.Left > 0, e.stock)
		if err != nil {
			s.t.Fatal(err)
		}
		if got := s.unused(); !s.hush && snap.Unused < uint64(got) {
			s.t.Fatalf("the line knows of %d unused passes, there are %d", snap.Unused, got)
		}
	}
	e.stage = (e.stage + 1) % 3
}

// turn ticks an edge as a whole.
func (s *shop) turn(e *shopEdge) {
	for e.stage != 0 {
		s.step(e)
	}
	for range 3 {
		s.step(e)
	}
}

// claim asks for a place's pass, and reports whether there is one.
func (s *shop) claim(e *shopEdge, place uint64) bool {
	s.t.Helper()
	got, err := e.line.Claim(s.t.Context(), place)
	_, wait := errors.AsType[*queueing.WaitError](err)
	switch {
	case wait, errors.Is(err, queueing.ErrNotCalled):
		return false
	case err != nil:
		s.t.Fatal(err)
	}
	if !got.Expires.Equal(s.used[place]) { // else it is one with which somebody has bought
		s.passes[place] = got.Expires
	}
	s.check("a claim")
	return true
}

// buy uses a pass at the gate. Its edge tells of it soon, or never.
func (s *shop) buy(place uint64) {
	s.used[place] = s.passes[place]
	delete(s.passes, place)
	if s.left == 0 {
		s.t.Fatalf("place %d has a pass, and nothing is left", place)
	}
	s.left--
	s.sold++
	if s.rng.IntN(10) > 0 {
		s.owed = append(s.owed, place)
	}
	s.check("a buy")
}

// tell lets edges hear of what was bought.
func (s *shop) tell() {
	for i, place := range s.owed {
		for range 1 + i%2 { // twice is once
			s.someone().line.Spend(place, s.used[place].Add(-time.Minute))
		}
	}
	s.owed = s.owed[:0]
}

// unused are the passes that can still be used.
func (s *shop) unused() (n int) {
	for _, end := range s.passes {
		if s.v.now.Before(end) {
			n++
		}
	}
	return n
}

func (s *shop) check(after string) {
	s.t.Helper()
	n := s.unused()
	s.most = max(s.most, n)
	if n > s.left {
		s.t.Fatalf("after %s %d passes can be used, and %d units are left", after, n, s.left)
	}
}

// Whatever comes between: however old the looks of an edge are, whatever is lost on
// its way to the line, whoever starts anew and whatever Redis forgets, there is a
// unit for each pass.
func TestEachPassHasAUnit(t *testing.T) {
	t.Parallel()
	rounds := uint64(12)
	if whole {
		rounds = 500
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, seed, 1+int(seed*7%30), 3)
			enter(t, s.edges[0].line, 300)
			for _, e := range s.edges {
				s.turn(e)
			}
			s.v.advance(time.Second)
			units, forgot := s.left, 0
			for range 1500 {
				switch s.rng.IntN(40) {
				case 0, 1, 2:
					s.v.advance(time.Duration(s.rng.IntN(3000)) * time.Millisecond)
					s.check("a while")
				case 3: // a hold lapses
					if s.sold > 0 {
						s.sold--
						s.left++
					}
				case 4:
					if s.rng.IntN(20) == 0 {
						units += 3
						s.left += 3
					}
				case 5:
					if s.rng.IntN(20) == 0 {
						s.restart(s.someone())
					}
				case 6:
					if s.rng.IntN(30) == 0 {
						s.forget()
						forgot++
					}
				case 7, 8:
					s.tell()
				case 9:
					for place, end := range s.passes {
						if s.v.now.Before(end) {
							s.buy(place)
						}
						break
					}
				case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25:
					s.step(s.someone())
				default:
					s.claim(s.someone(), uint64(s.rng.IntN(40)))
				}
			}
			if s.left+s.sold != units {
				t.Fatalf("%d left and %d sold, of %d", s.left, s.sold, units)
			}
			if s.most < min(units, 5) {
				t.Errorf("at most %d passes at a time for %d units", s.most, units)
			}
		})
	}
}

// restart lets an edge begin anew. What it alone knew of is what was given since the
// others ticked, which they do ten times a second.
func (s *shop) restart(e *shopEdge) {
	for _, other := range s.edges {
		s.turn(other)
	}
	*e = shopEdge{line: queueing.NewLine(s.v.rdb, s.sale).Hasten()}
	s.turn(e)
}

// forget empties Redis. Every edge ticks before numbers, and passes, are given again.
func (s *shop) forget() {
	if err := s.v.rdb.FlushAll(s.t.Context()).Err(); err != nil {
		s.t.Fatal(err)
	}
	s.v.advance(time.Microsecond)
	s.hush = true
	for _, i := range s.rng.Perm(len(s.edges)) {
		s.claim(s.someone(), uint64(s.rng.IntN(300)))
		s.turn(s.edges[i])
	}
	s.hush = false
}
