package rehearsal

import (
	"fmt"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// Check is one promise of a sale, and whether it was kept throughout.
type Check struct {
	Name   string `json:"name"`
	Kept   bool   `json:"kept"`
	Detail string `json:"detail,omitempty"` // how it was broken, the first time
	Broken int    `json:"broken,omitempty"` // how often
}

// The promises, in the order of the report.
const (
	drawFair = iota
	samePlace
	inOrder
	rateKept
	soldOnce
	noStarving
	allAnswered
	promises
)

var promised = [promises]string{
	drawFair:    "the draw gives each place to one shopper",
	samePlace:   "a place never changes",
	inOrder:     "shoppers are called in the order of their places",
	rateKept:    "passes stay within burst + rate × time, in every interval",
	soldOnce:    "no unit is sold twice, and none is lost",
	noStarving:  "whoever keeps asking when called gets a pass",
	allAnswered: "everybody who is still there gets an answer",
}

// checks watch over the promises while the sale is played.
type checks struct {
	list     [promises]Check
	rate     float64 // passes a second
	burst    float64
	stocked  int
	starving time.Duration // how long somebody may ask for a pass while there is stock
	longest  time.Duration // that anybody did

	passes int
	first  moment
	lowest float64  // see pass
	second []moment // passes of the last second
	most   int      // in any second

	out int // units with somebody
}

func newChecks(sale *configs.Sale) checks {
	rate := sale.Admit.PerSecond()
	c := checks{rate: rate, burst: float64(sale.Burst), stocked: sale.Stock,
		starving: time.Duration(starvingTurns * max(1, 1/rate) * float64(time.Second))}
	for i, name := range promised {
		c.list[i] = Check{Name: name, Kept: true}
	}
	return c
}

// starvingTurns bounds how often somebody is told to ask again: a caller asks
// once a second, or once in the time of a pass at slow rates. Who gets a token is
// left to chance, so a few ask often.
const starvingTurns = 300

func (c *checks) fail(promise int, format string, args ...any) {
	broken := &c.list[promise]
	if broken.Kept {
		broken.Kept, broken.Detail = false, fmt.Sprintf(format, args...)
	}
	broken.Broken++
}

// pass holds a pass to the bound: over any interval t at most burst + rate × t.
// The worst interval that ends now began where passes were furthest behind what
// was due, which is lowest.
func (c *checks) pass(now moment) {
	if c.passes == 0 {
		c.first = now
	}
	due := float64(c.rate * now.since(c.first).Seconds())
	c.lowest = min(c.lowest, float64(c.passes)-due)
	c.passes++
	if over := float64(c.passes) - due - c.lowest - c.burst; over > rounding {
		c.fail(rateKept, "pass %d, at %s, is %.2f beyond the bound", c.passes, clock(now), over)
	}
	for len(c.second) > 0 && now.since(c.second[0]) >= time.Second {
		c.second = c.second[1:]
	}
	c.second = append(c.second, now)
	c.most = max(c.most, len(c.second))
}

// rounding is what microseconds and floating point may add to a bound.
const rounding = 1e-3

// bound is the most passes that any second may have.
func (c *checks) bound() float64 { return c.burst + c.rate }

// drawn holds the draw to giving each number a place of its own, which is free.
func (c *checks) drawn(number uint32, place uint64, free bool) bool {
	if !free {
		c.fail(drawFair, "number %d was given place %d, which is another's", number, place)
	}
	return free
}

// moved holds the head to going forward, so that calls follow the places.
func (c *checks) moved(from, to uint64) {
	if to < from {
		c.fail(inOrder, "the head went back from %d to %d", from, to)
	}
}

// sentBack is somebody who was called and then was not: somebody behind them may
// have had their turn.
func (c *checks) sentBack(s *shopper) {
	c.fail(inOrder, "place %d was called, and then was not", s.place)
}

// answered holds the end to an answer for a shopper, and reports whether there is
// one.
func (c *checks) answered(s *shopper) bool {
	if s.stage == gone || s.stage == shed {
		return true
	}
	c.fail(allAnswered, "the shopper with number %d is still in stage %d", s.number, s.stage)
	return false
}

// place holds a shopper's place to the one before.
func (c *checks) place(s *shopper, st queueing.Standing) {
	if st.Drawn && st.Place != uint64(s.place) {
		c.fail(samePlace, "number %d stood at %d, now at %d", s.number, s.place, st.Place)
	}
}

// waited holds the time for which a shopper has asked for a pass to what is
// bearable, whether it ends with one or not.
func (c *checks) waited(s *shopper, now moment) {
	asked := now.since(s.since)
	c.longest = max(c.longest, asked)
	if asked > c.starving {
		c.fail(noStarving, "place %d asked for %v, at most %v is bearable", s.place, asked, c.starving)
	}
}

func (c *checks) take() {
	if c.out++; c.out > c.stocked {
		c.fail(soldOnce, "%d units are out, there are %d", c.out, c.stocked)
	}
}

func (c *checks) giveBack() { c.out-- }

// stock holds the gate's count to ours.
func (c *checks) stock(g gate.Snapshot) {
	if g.Left+c.out != c.stocked {
		c.fail(soldOnce, "%d units are left and %d are out, of %d", g.Left, c.out, c.stocked)
	}
}
