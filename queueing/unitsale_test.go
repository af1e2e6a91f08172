package queueing_test

import (
	"math"
	"testing"
	"time"
)

// unitCrowd is a crowd at a sale that matches passes to units: pages find out that
// their place is called, some never do, and some let their pass end.
type unitCrowd struct {
	*shop
	agenda
	absent, buys float64 // the share that never comes; of the others, that buys

	head    uint64
	waiting map[uint64]bool // called, came, and has no pass yet
	crowded int             // of them at a time, at most
	last    uint64          // the last place that bought
}

func newUnitCrowd(t *testing.T, units, people int, absent, buys float64) *unitCrowd {
	t.Helper()
	c := &unitCrowd{shop: newShop(t, 1, units, 2), absent: absent, buys: buys, waiting: map[uint64]bool{}}
	enter(t, c.edges[0].line, people)
	c.v.at(c.sale.Opens)
	return c
}

// play lets the sale go on until all is sold, for so long at most, and says how long
// that took.
func (c *unitCrowd) play(most time.Duration) time.Duration {
	c.t.Helper()
	for i := 0; c.left > 0 && c.v.now.Before(c.sale.Opens.Add(most)); i++ {
		for _, e := range c.edges {
			c.turn(e)
		}
		for head := c.called(); c.head < head; c.head++ {
			c.find(c.head)
		}
		c.tell()
		until := c.v.now.Add(spell(100*time.Millisecond, 500*time.Millisecond))
		for due, ok := c.next(until); ok; due, ok = c.next(until) {
			if due.at.After(c.v.now) {
				c.v.at(due.at)
			}
			due.run()
		}
		c.v.at(until)
	}
	return c.v.now.Sub(c.sale.Opens)
}

// called is how many places the head has passed.
func (c *unitCrowd) called() uint64 { return tickWith(c.t, c.someone().line, c.left).Head }

// find is what the page of a called place does.
func (c *unitCrowd) find(place uint64) {
	if c.rng.Float64() < c.absent {
		return
	}
	finds := c.sale.Opens.Add(pageAge + time.Duration(c.rng.Float64()*float64(time.Second)))
	if finds.Before(c.v.now) {
		finds = c.v.now.Add(time.Duration(c.rng.Float64() * float64(pageSoon)))
	}
	c.add(finds, func() { c.ask(place) })
}

func (c *unitCrowd) ask(place uint64) {
	c.waiting[place] = true
	c.crowded = max(c.crowded, len(c.waiting))
	if c.left == 0 {
		return
	}
	if !c.claim(c.someone(), place) {
		c.add(c.v.now.Add(time.Second+time.Duration(c.rng.Float64()*float64(200*time.Millisecond))), func() { c.ask(place) })
		return
	}
	delete(c.waiting, place)
	if c.rng.Float64() < c.buys {
		c.add(c.v.now.Add(time.Duration(c.rng.Float64()*float64(30*time.Second))), func() {
			c.buy(place)
			c.last = max(c.last, place)
		})
	}
}

// A sale sells out, with a unit for each pass at every moment, also to a crowd of
// whom most do not come or do not buy, and goes by the draw.
func TestUnitsSellOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		units          int
		absent, buys   float64
		within         time.Duration
		beyond, atOnce float64 // places called for each unit; people who wait after their call, for each unit
	}{
		{"all come and buy", 60, 0, 1, 45 * time.Second, 2.5, 2},
		{"two in five do not come", 60, 0.4, 1, time.Minute, 4, 2},
		{"half of those who come do not buy", 60, 0.4, 0.5, 9 * time.Minute, 8, 2},
		{"nine in ten do not come", 20, 0.9, 1, 4 * time.Minute, 30, 4},
		{"one unit", 1, 0.4, 0.7, 8 * time.Minute, 40, 4},
	} {
		if c.buys == 0.5 && !whole {
			continue // takes as long as all the others together
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			crowd := newUnitCrowd(t, c.units, 1500, c.absent, c.buys)
			took := crowd.play(30 * time.Minute)
			t.Logf("sold out after %v; head %d, the last buyer at %d; at most %d passes at a time, %d who waited after their call",
				took, crowd.head, crowd.last, crowd.most, crowd.crowded)
			if crowd.left > 0 || took > c.within {
				t.Errorf("%d of %d left after %v, want none after %v", crowd.left, c.units, took, c.within)
			}
			if most := math.Ceil(c.beyond * float64(c.units)); float64(crowd.head) > most {
				t.Errorf("%d places were called for %d units, want at most %v", crowd.head, c.units, most)
			}
			if most := math.Ceil(c.atOnce * float64(c.units)); float64(crowd.crowded) > most {
				t.Errorf("%d waited after their call, want at most %v", crowd.crowded, most)
			}
		})
	}
}
