package queueing_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// crowd drives the line in virtual time: every called place answers after a
// moment, or never, and asks again when told to wait.
type crowd struct {
	*virtual
	t       *testing.T
	rng     *rand.Rand
	lines   []*queueing.Line
	noShow  float64
	called  uint64
	agenda  agenda
	call    func(place uint64) // who is called and comes: after a moment, or see opening
	come    func(place uint64) // whose turn has come: claim, or see slices
	passes  []time.Time
	claimed map[uint64]bool
	denied  int
}

func newCrowd(t *testing.T, sale func(now time.Time) *configs.Sale, entries, edges int, noShow float64) *crowd {
	t.Helper()
	c := &crowd{virtual: newVirtual(t), t: t, rng: rand.New(rand.NewPCG(1, 2)), noShow: noShow, claimed: map[uint64]bool{}}
	c.come = c.claim
	c.call = func(place uint64) { c.later(place, 100*time.Millisecond, 1200*time.Millisecond) }
	s := sale(c.now)
	for range edges {
		c.lines = append(c.lines, queueing.NewLine(c.rdb, s).Hasten())
	}
	// Many entries at once, as one edge's batch would do it.
	if err := c.rdb.HSet(t.Context(), "wr:{line:"+s.Key+"}", "entered", entries).Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// run lets the line go on, some edge ticking each step.
func (c *crowd) run(d, step time.Duration) {
	c.t.Helper()
	for end, i := c.now.Add(d), 0; c.now.Before(end); i++ {
		next := c.now.Add(step)
		for e, due := c.agenda.next(next); due; e, due = c.agenda.next(next) {
			if e.at.After(c.now) {
				c.at(e.at)
			}
			e.run()
		}
		c.at(next)
		snap := tick(c.t, c.lines[i%len(c.lines)])
		if snap.Head < c.called || snap.Head > snap.Entered {
			c.t.Fatalf("head %d after %d, with %d entered", snap.Head, c.called, snap.Entered)
		}
		for ; c.called < snap.Head; c.called++ {
			if c.rng.Float64() >= c.noShow {
				c.later(c.called, 200*time.Millisecond, 1500*time.Millisecond)
			}
		}
	}
}

// later lets the caller of a place come after a while.
func (c *crowd) later(place uint64, least, spread time.Duration) {
	at := c.now.Add(least + time.Duration(c.rng.Int64N(int64(spread))))
	c.agenda.add(at, func() { c.come(place) })
}

func (c *crowd) claim(place uint64) {
	c.t.Helper()
	got, err := c.lines[c.rng.IntN(len(c.lines))].Claim(c.t.Context(), at(place))
	switch wait, ok := errors.AsType[*queueing.WaitError](err); {
	case ok:
		c.denied++
		c.later(place, wait.Retry, 200*time.Millisecond)
	case errors.Is(err, queueing.ErrPaused):
		c.later(place, 2*time.Second, time.Second)
	case err != nil:
		c.t.Fatal(err)
	case got.Again || c.claimed[place]:
		c.t.Fatalf("place %d was given a second pass", place)
	default:
		c.claimed[place] = true
		c.passes = append(c.passes, c.now)
	}
}

// checkBound holds the passes from the i-th on to invariant I6: over any
// interval t at most burst + rate × t.
func (c *crowd) checkBound(from int, rate, burst float64) {
	c.t.Helper()
	if len(c.passes) == from {
		c.t.Fatal("no passes")
	}
	start, lowest := c.passes[from], 0.0
	for i, at := range c.passes[from:] {
		due := rate * at.Sub(start).Seconds()
		lowest = min(lowest, float64(i)-due)
		if excess := float64(i+1) - due - lowest - burst; excess > 1e-3 {
			c.t.Fatalf("pass %d, %v after the first, is %.3f beyond the bound", from+i, at.Sub(start), excess)
		}
	}
}

// With two callers in five gone the passes still flow at the rate, on one edge
// and on three.
func TestNoShowsCostNoCapacity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		rate   configs.Rate
		burst  int
		edges  int
		noShow float64
		run    time.Duration
		step   time.Duration // between two ticks, of all edges together
		share  float64       // of the rate, from the opening on
	}{
		{"three edges", configs.Rate{Count: 20, Per: time.Second}, 4, 3, 0.4, time.Minute, 50 * time.Millisecond, 0.98},
		{"everyone comes", configs.Rate{Count: 10, Per: time.Second}, 4, 1, 0, time.Minute, 100 * time.Millisecond, 0.98},
		{"hardly anyone comes", configs.Rate{Count: 10, Per: time.Second}, 4, 1, 0.9, time.Minute, 100 * time.Millisecond, 0.9},
		{"wide bucket", configs.Rate{Count: 20, Per: time.Second}, 20, 1, 0.4, time.Minute, 100 * time.Millisecond, 0.98},
		{"slow", configs.Rate{Count: 6, Per: time.Minute}, 1, 1, 0.4, 15 * time.Minute, time.Second, 0.98},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			crowd := newCrowd(t, func(now time.Time) *configs.Sale {
				s := saleAt(now, 0, 1, c.burst)
				s.Admit = c.rate
				return s
			}, 1_000_000, c.edges, c.noShow)
			run := spell(c.run, c.run/2)
			crowd.run(run, c.step)
			due := c.rate.PerSecond() * run.Seconds()
			share := float64(len(crowd.passes)) / due
			t.Logf("%d passes, %.1f %% of the rate; %d called, %d told to wait", len(crowd.passes), 100*share, crowd.called, crowd.denied)
			// What is lost is lost at the opening, however long the line goes on.
			if lost := due - float64(len(crowd.passes)); lost > (1-c.share)*c.rate.PerSecond()*c.run.Seconds() {
				t.Errorf("%d passes in %v, %.1f %% of the rate, want %.0f %%", len(crowd.passes), run, 100*share, 100*c.share)
			}
			crowd.checkBound(0, c.rate.PerSecond(), float64(c.burst))
		})
	}
}

// The bound holds over three edges, whatever happens to them: restarts one
// after another, pauses, reloads, steps of the clock.
func TestPassesStayWithinTheBound(t *testing.T) {
	t.Parallel()
	const rate, burst = 15, 3
	var sale *configs.Sale
	c := newCrowd(t, func(now time.Time) *configs.Sale {
		sale = saleAt(now, 0, rate, burst)
		return sale
	}, 100_000, 3, 0.2)
	step := 100 * time.Millisecond
	restart := func(i int) { c.lines[i] = queueing.NewLine(c.rdb, sale).Hasten() }

	c.run(5*time.Second, step)
	for i := range c.lines {
		restart(i)
		c.run(time.Second, step)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.lines[0].Pause(t.Context()))
	before := len(c.passes)
	c.run(10*time.Second, step)
	if got := len(c.passes) - before; got != 0 {
		t.Errorf("%d passes while paused", got)
	}
	must(c.lines[1].Resume(t.Context()))
	c.run(5*time.Second, step)
	c.advance(30 * time.Second) // every edge is away
	for i := range c.lines {
		restart(i)
	}
	c.run(5*time.Second, step)
	must(c.rdb.FlushAll(t.Context()).Err())
	c.run(5*time.Second, step)
	c.checkBound(0, rate, burst)
	if len(c.passes) < 21*rate {
		t.Errorf("%d passes in 23 s at %d/s", len(c.passes), rate)
	}

	// Lower, to a tenth: the bound of the new rate holds from the order on.
	from := len(c.passes)
	must(c.lines[2].SetRate(t.Context(), configs.Rate{Count: 3, Per: time.Second}))
	c.run(20*time.Second, step)
	c.checkBound(from, 3, 3)
	if got := len(c.passes) - from; got < 54 || got > 63 {
		t.Errorf("%d passes in 20 s at 3/s", got)
	}
}

// The same on a real Redis, with a crowd on three edges that claims as fast as
// it can: Redis's own time says when each pass was given.
func TestPassesStayWithinTheBoundUnderLoad(t *testing.T) {
	t.Parallel()
	const rate, burst = 500, 50
	const length = 3 * time.Second
	rdb := client(t, testserver.Redis(t))
	if err := rdb.HSet(t.Context(), "wr:{line:golden-toy}", "entered", 1_000_000, "head", 1_000_000).Err(); err != nil {
		t.Fatal(err)
	}
	sale := saleAt(time.Now(), 0, rate, burst)
	given := make(chan time.Time, 10*rate)
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range 3 {
		l := queueing.NewLine(rdb, sale)
		for range 4 {
			wg.Go(func() {
				for start := time.Now(); time.Since(start) < length; {
					turn := at(next.Add(1))
					turn.Invited = turn.Place%2 == 0 // both kinds draw on the one bucket
					c, err := l.Claim(t.Context(), turn)
					if err == nil {
						given <- c.Admitted
					} else if _, wait := errors.AsType[*queueing.WaitError](err); !wait {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	close(given)
	c := &crowd{t: t}
	for at := range given {
		c.passes = append(c.passes, at)
	}
	slices.SortFunc(c.passes, time.Time.Compare)
	if len(c.passes) <= burst { // how many come beyond it depends on the machine
		t.Errorf("%d passes in %v, the bound was not tried", len(c.passes), length)
	}
	c.checkBound(0, rate, burst)
}

// A clock that steps gives away nothing: back, the bucket pays nothing for the
// second time; forward, it holds its burst and no more.
func TestClockStepsGiveNothing(t *testing.T) {
	t.Parallel()
	const rate, burst = 10, 5
	v := newVirtual(t)
	sale := saleAt(v.now, -3*time.Hour, rate, burst)
	sale.Doors = sale.Opens
	l := queueing.NewLine(v.rdb, sale)
	enter(t, l, 40)
	place := uint64(0)
	claimAll := func() (n int) {
		for ; ; n, place = n+1, place+1 {
			if _, err := l.Claim(t.Context(), at(place)); err != nil {
				return n
			}
		}
	}
	for range 20 {
		tick(t, l)
		v.advance(100 * time.Millisecond)
	}
	claimAll()
	v.advance(-time.Hour)
	tick(t, l)
	if got := claimAll(); got != 0 {
		t.Errorf("%d passes for an hour back", got)
	}
	v.advance(2 * time.Hour)
	tick(t, l)
	if got := claimAll(); got > burst {
		t.Errorf("%d passes for two hours forward, the burst is %d", got, burst)
	}
}

// Whoever comes late to a line that has emptied is called at once while there
// are tokens, also at a slow rate.
func TestEmptyLineCallsNewcomersAtOnce(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	sale := saleAt(v.now, 0, 1, 2)
	sale.Admit = configs.Rate{Count: 1, Per: time.Minute}
	l := queueing.NewLine(v.rdb, sale)
	for range 200 { // more than two minutes: the bucket is full
		tick(t, l)
		v.advance(time.Second)
	}
	tick(t, l)
	for i, number := range enter(t, l, 3) {
		_, err := l.Claim(t.Context(), at(number))
		if called := i < 2; called != (err == nil) {
			t.Errorf("newcomer %d: %v", i, err)
		}
	}
}

// A pass that was claimed is given again in the next generation still, and
// anew, for a token, after that.
func TestPassGenerations(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	v.at(v.now.Truncate(10 * time.Minute).Add(9 * time.Minute))
	l := queueing.NewLine(v.rdb, saleAt(v.now, 0, 1, 1))
	enter(t, l, 1)
	tick(t, l)
	v.advance(5 * time.Second)
	tick(t, l)
	first, err := l.Claim(t.Context(), at(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		again bool
	}{{30 * time.Second, true}, {10 * time.Minute, true}, {10 * time.Minute, false}, {5 * time.Minute, true}, {time.Hour, false}} {
		v.advance(c.after)
		tick(t, l)
		got, err := l.Claim(t.Context(), at(0))
		if err != nil || got.Again != c.again {
			t.Fatalf("%v later: %+v, %v, want again %v", c.after, got, err, c.again)
		}
		if !got.Expires.After(v.now) || got.Admitted.After(v.now) {
			t.Errorf("%v later: pass from %v to %v at %v", c.after, got.Admitted, got.Expires, v.now)
		}
		if c.again != got.Expires.Equal(first.Expires) {
			t.Errorf("%v later: expires %v, the one before %v", c.after, got.Expires, first.Expires)
		}
		first = got
	}
}
