package rehearsal

import (
	"slices"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// Each promise can be seen to be broken, and what is allowed breaks none.
func TestChecks(t *testing.T) {
	t.Parallel()
	passes := func(c *checks, n int, every time.Duration) {
		for i := range n {
			c.pass(moment(1).add(time.Duration(i) * every))
		}
	}
	for _, test := range []struct {
		name   string
		do     func(c *checks)
		broken []int
	}{
		{"the burst, then the rate", func(c *checks) { passes(c, 5, 0); c.pass(moment(1).add(100 * time.Millisecond)) }, nil},
		{"one more than the burst", func(c *checks) { passes(c, 6, 0) }, []int{rateKept}},
		{"a little too fast for long", func(c *checks) { passes(c, 1000, 99*time.Millisecond) }, []int{rateKept}},
		{"just the rate for long", func(c *checks) { passes(c, 1000, 100*time.Millisecond) }, nil},
		{"too fast after a rest", func(c *checks) {
			c.pass(1)
			for range 6 {
				c.pass(moment(time.Hour.Microseconds()))
			}
		}, []int{rateKept}},
		{"another place", func(c *checks) { c.place(&shopper{place: 4}, queueing.Standing{Drawn: true, Place: 5}) }, []int{samePlace}},
		{"the same place", func(c *checks) { c.place(&shopper{place: 4}, queueing.Standing{Drawn: true, Place: 4}) }, nil},
		{"all units, one twice in turn", func(c *checks) { c.take(); c.take(); c.giveBack(); c.take() }, nil},
		{"one unit too many", func(c *checks) { c.take(); c.take(); c.take() }, []int{soldOnce}},
		{"a unit that is lost", func(c *checks) { c.take(); c.stock(gate.Snapshot{}) }, []int{soldOnce}},
		{"every unit accounted for", func(c *checks) { c.take(); c.stock(gate.Snapshot{Left: 1}) }, nil},
		{"a free place", func(c *checks) { c.drawn(1, 4, true) }, nil},
		{"a place that is another's", func(c *checks) { c.drawn(1, 4, false) }, []int{drawFair}},
		{"a head that stands, and goes on", func(c *checks) { c.moved(3, 3); c.moved(3, 4) }, nil},
		{"a head that goes back", func(c *checks) { c.moved(4, 3) }, []int{inOrder}},
		{"called and sent back", func(c *checks) { c.sentBack(&shopper{}) }, []int{inOrder}},
		{"an answer", func(c *checks) { c.answered(&shopper{stage: gone}) }, nil},
		{"no answer", func(c *checks) { c.answered(&shopper{stage: stranded}) }, []int{allAnswered}},
		{"asking for long", func(c *checks) { c.waited(&shopper{}, moment(0).add(c.starving)) }, nil},
		{"asking for too long", func(c *checks) { c.waited(&shopper{}, moment(1).add(c.starving)) }, []int{noStarving}},
	} {
		c := newChecks(&configs.Sale{Stock: 2, Admit: configs.Rate{Count: 10, Per: time.Second}, Burst: 5})
		test.do(&c)
		var broken []int
		for i := range c.list {
			if !c.list[i].Kept {
				broken = append(broken, i)
			}
		}
		if !slices.Equal(broken, test.broken) {
			t.Errorf("%s: broken %v, want %v", test.name, broken, test.broken)
		}
	}
}

func TestAgenda(t *testing.T) {
	t.Parallel()
	var a agenda
	if a.next() != never {
		t.Error("an empty agenda has something next")
	}
	for i := range 1000 {
		a.put(plan{at: moment(i * 7919 % 1000), who: uint32(i)})
	}
	for last := moment(-1); len(a.heap) > 0; {
		next, p := a.next(), a.take()
		if p.at != next || p.at < last {
			t.Fatalf("%d after %d, %d was next", p.at, last, next)
		}
		last = p.at
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		0.05: "0.05 s", 6: "6 s", 6.26: "6.3 s", 1312.6: "21 min 53 s", 7200: "2 h", 3661: "1 h 1 min", 60: "1 min",
	} {
		if got := span(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}
