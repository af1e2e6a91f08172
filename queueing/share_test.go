package queueing_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// absent are the shares of people who are called and never come.
var absent = []float64{0, 0.4, 0.9}

// TestShareOfTheRate sees lines through their first minutes, at the default
// burst: how much of the rate is used from a second after the opening on, and
// once the line knows how many come. WAITROOM_PACE=all takes rates from 1/min to
// 100000/s and logs the table of docs/pace.md; that takes some minutes.
func TestShareOfTheRate(t *testing.T) {
	t.Parallel()
	cases := []shareCase{{"30/s", 25 * time.Second}}
	if whole {
		cases = []shareCase{
			{"1/min", time.Hour}, {"10/min", 10 * time.Minute},
			{"1/s", 2 * time.Minute}, {"3/s", 2 * time.Minute}, {"10/s", 2 * time.Minute}, {"30/s", 2 * time.Minute},
			{"300/s", time.Minute}, {"2000/s", 30 * time.Second}, {"20000/s", 30 * time.Second}, {"100000/s", 20 * time.Second},
		}
	}
	shares := absent
	if !whole {
		shares = absent[1:2]
	}
	t.Log("| rate | burst | for | nobody is absent | later | 40 % are | later | 90 % are | later |")
	for _, c := range cases {
		rate, err := configs.ParseRate(c.rate)
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("| %s | %d | %v |", rate, rate.Burst(), c.run)
		for _, a := range shares {
			all, later := c.share(t, rate, a)
			row += fmt.Sprintf(" %.1f %% | %.1f %% |", all, later)
			if later < 98 {
				t.Errorf("%s, %.0f %% never come: %.1f %% of the rate, want 98 %%", rate, 100*a, later)
			}
		}
		t.Log(row)
	}
}

// shareCase is a rate, and for how long it is looked at.
type shareCase struct {
	rate string
	run  time.Duration
}

// share gives the passes as percentages of rate × t: from the second after the
// opening, and from when the line has learned.
func (s shareCase) share(t *testing.T, rate configs.Rate, absent float64) (all, later float64) {
	const slice = 10 * time.Millisecond
	slices, learned := 3, 15*time.Second // between two ticks of three edges
	if rate.PerSecond() < 1 {
		slices, learned = 20, time.Duration(4/rate.PerSecond())*time.Second
	}
	c := newCrowd(t, func(now time.Time) *configs.Sale {
		sale := saleAt(now, 0, 1, rate.Burst())
		sale.Admit = rate
		return sale
	}, 1_000_000_000, 1, absent)
	opens := c.now
	for c.now.Before(opens.Add(s.run + time.Second)) {
		c.slices(slices, slice)
	}
	count := func(from time.Duration) float64 {
		n := 0
		for _, at := range c.passes {
			if !at.Before(opens.Add(from)) {
				n++
			}
		}
		return 100 * float64(n) / (rate.PerSecond() * (s.run + time.Second - from).Seconds())
	}
	c.checkBound(0, rate.PerSecond(), float64(rate.Burst()))
	return count(time.Second), count(learned)
}

// slices lets the line go on for one tick, in slices in which all who claim do so
// in one call. It is run for rates at which one call each would take too long.
// Who is denied comes back when the front door would have told them.
func (c *crowd) slices(n int, slice time.Duration) {
	c.t.Helper()
	var due []uint64
	c.come = func(place uint64) { due = append(due, place) }
	for range n {
		c.at(c.now.Add(slice))
		for e, ok := c.agenda.next(c.now); ok; e, ok = c.agenda.next(c.now) {
			e.run()
		}
		for some := range slices.Chunk(due, 500) {
			c.claimAll(some)
		}
		due = due[:0]
	}
	snap := tick(c.t, c.lines[0])
	for ; c.called < snap.Head; c.called++ {
		if c.rng.Float64() >= c.noShow {
			c.call(c.called)
		}
	}
}

func (c *crowd) claimAll(places []uint64) {
	c.t.Helper()
	line := queueing.Rehearsal{Line: c.lines[0]}
	turns := make([]queueing.Turn, len(places))
	for i, place := range places {
		turns[i] = at(place)
	}
	claims, errs, err := line.ClaimAll(c.t.Context(), turns)
	if err != nil {
		c.t.Fatal(err)
	}
	for i, place := range places {
		switch wait, ok := errors.AsType[*queueing.WaitError](errs[i]); {
		case ok:
			c.later(place, wait.Retry, max(wait.Retry/2, time.Second))
		case errs[i] != nil:
			c.t.Fatal(errs[i])
		default:
			c.passes = append(c.passes, claims[i].Admitted)
		}
	}
}
