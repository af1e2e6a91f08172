package queueing_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// What the pages do after the draw, as static/web/script/polls.js and
// docs/shoppers.md tell it.
const (
	pageAge  = 1200 * time.Millisecond // from the opening to the first question
	pageSoon = 2 * time.Second         // from then on between two, about
)

// pageSpread is over how long the first questions of a crowd come.
func pageSpread(crowd int) time.Duration {
	return min(max(time.Duration(crowd)*time.Second/100_000, time.Second), 8*time.Second)
}

// opening is a line whose crowd learns its places as pages do, the first ones
// 1.2 seconds after the draw.
type opening struct {
	*crowd
	rate  configs.Rate
	opens time.Time
	over  time.Duration // for so long first questions come

	there int // called, will come, have no pass
	most  int // of them at any time
}

func newOpening(t *testing.T, rate string, entries int, absent float64) *opening {
	t.Helper()
	r, err := configs.ParseRate(rate)
	if err != nil {
		t.Fatal(err)
	}
	o := &opening{rate: r, over: pageSpread(entries)}
	o.crowd = newCrowd(t, func(now time.Time) *configs.Sale {
		o.opens = now
		s := saleAt(now, 0, 1, r.Burst())
		s.Admit = r
		return s
	}, entries, 1, absent)
	o.call = o.learn
	return o
}

// learn is what the page of a called place does: it finds out when it asks for the
// first time, or if it has asked before, when it asks next.
func (o *opening) learn(place uint64) {
	o.there++
	finds := o.opens.Add(pageAge + time.Duration(o.rng.Float64()*float64(o.over)))
	if !finds.After(o.now) {
		finds = o.now.Add(time.Duration(o.rng.Float64() * (0.75 + o.rng.Float64()/2) * float64(pageSoon)))
	}
	o.later(place, finds.Sub(o.now)+100*time.Millisecond, 1200*time.Millisecond)
}

// until lets the line go on, with three edges that tick ten times a second.
func (o *opening) until(after time.Duration) {
	o.t.Helper()
	for o.now.Before(o.opens.Add(after)) {
		before := len(o.passes)
		o.slices(3, 10*time.Millisecond)
		o.there -= len(o.passes) - before
		o.most = max(o.most, o.there)
	}
}

// share is the part of rate × t that was given between two instants after the opening.
func (o *opening) share(from, to time.Duration) float64 {
	n := 0
	for _, at := range o.passes {
		if at.Sub(o.opens) >= from && at.Sub(o.opens) < to {
			n++
		}
	}
	return float64(n) / (o.rate.PerSecond() * (to - from).Seconds())
}

// From the first second after the opening on all but a little of the rate is
// used, though nobody knows the draw before and some never come; and never are
// many more there than can be served soon. WAITROOM_PACE=all adds the rates and the
// crowds that take some minutes.
func TestOpening(t *testing.T) {
	t.Parallel()
	for _, rate := range []string{"30/s", "1000/s", "2000/s"} {
		for _, entries := range []int{5000, 100_000, 1_000_000} {
			for _, a := range absent {
				run := spell(120*time.Second, 40*time.Second)
				switch {
				case whole || rate == "30/s" && entries == 100_000 && a == 0.4:
				case rate == "30/s" && entries == 1_000_000:
					run = 30 * time.Second
				case rate == "2000/s" && entries == 1_000_000 && a == 0.4:
					run = 10 * time.Second
				default:
					continue
				}
				t.Run(fmt.Sprintf("%s, %d, %.0f %% absent", rate, entries, 100*a), func(t *testing.T) {
					if !whole {
						t.Parallel()
					}
					o := newOpening(t, rate, entries, a)
					o.until(time.Second + run)
					o.check(entries, run)
				})
			}
		}
	}
}

// check holds the passes to what can be expected of a crowd that is large enough.
func (o *opening) check(entries int, run time.Duration) {
	o.t.Helper()
	rate := o.rate.PerSecond()
	o.checkBound(0, rate, float64(o.rate.Burst()))
	share, most := o.share(time.Second, time.Second+run), float64(o.most)/rate
	o.t.Logf("10 s: %.1f %% of the rate; from 1 s on 10 s: %.1f %%, %v: %.1f %%; at most %.1f s of it there; %d called",
		100*o.share(0, 10*time.Second), 100*o.share(time.Second, 11*time.Second), run, 100*share, most, o.called)
	want := 1 - 2.4/run.Seconds()
	if o.noShow > 0.5 {
		want = 1 - 10/run.Seconds() // none is expected, and 90 % take time to be found out
	}
	if uint64(entries) > o.called && share < want {
		o.t.Errorf("%.1f %% of the rate over %v, want %.0f %%", 100*share, run, 100*want)
	}
	if most > 15.5 {
		o.t.Errorf("%d are there without a pass, the rate serves them in %.1f s", o.most, most)
	}
}

// How many are called at once when a draw is held, and not before: as many as
// the rate serves while the pages look, two in five more of them, and a second's.
func TestDrawCallsAWave(t *testing.T) {
	t.Parallel()
	const step = 100 * time.Millisecond
	for _, c := range []struct {
		name    string
		rate    configs.Rate
		entries int
		change  func(*configs.Sale)
		late    func(*queueing.Line, *testing.T) // what opens the line 5 s late
		shut    func(*queueing.Line, *testing.T)
		want    uint64
	}{
		{name: "100/s", rate: configs.Rate{Count: 100, Per: time.Second}, entries: 100_000, want: 333},
		{name: "a million at 2000/s", rate: configs.Rate{Count: 2000, Per: time.Second}, entries: 1_000_000, want: 30_000},
		{name: "few", rate: configs.Rate{Count: 2000, Per: time.Second}, entries: 500, want: 500},
		{name: "slow", rate: configs.Rate{Count: 1, Per: time.Minute}, entries: 1000, want: 0},
		{
			name: "paused", rate: configs.Rate{Count: 100, Per: time.Second}, entries: 200_000, want: 1833,
			shut: func(l *queueing.Line, t *testing.T) { orFail(t, l.Pause(t.Context())) },
			late: func(l *queueing.Line, t *testing.T) { orFail(t, l.Resume(t.Context())) },
		},
		{
			name: "mixed", rate: configs.Rate{Count: 100, Per: time.Second}, entries: 1000, want: 1000,
			change: func(s *configs.Sale) { s.Mix = "drand round 5213377" },
			late:   func(l *queueing.Line, t *testing.T) { orFail(t, l.Mix(t.Context(), "a value")) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := newVirtual(t)
			sale := saleAt(v.now, time.Second, 1, c.rate.Burst())
			sale.Admit = c.rate
			if c.change != nil {
				c.change(sale)
			}
			orFail(t, v.rdb.HSet(t.Context(), "wr:{line:golden-toy}", "entered", c.entries).Err())
			l := queueing.NewLine(v.rdb, sale)
			for tick(t, l).Now.Before(sale.Opens.Add(-step)) {
				v.advance(step)
			}
			if c.shut != nil {
				c.shut(l, t)
			}
			if c.late != nil {
				for range 50 {
					v.advance(step)
					if head := tick(t, l).Head; head > 0 {
						t.Fatalf("head %d before the draw is known", head)
					}
				}
				c.late(l, t)
			}
			for i := range 10 { // for its first second the head stands there
				v.advance(step)
				if head := tick(t, l).Head; head != c.want {
					t.Fatalf("tick %d: head %d, want %d", i, head, c.want)
				}
			}
			orFail(t, v.rdb.FlushAll(t.Context()).Err())
			tick(t, l)
			v.advance(step)
			if head := tick(t, l).Head; head < c.want || head > c.want+c.want/20 {
				t.Errorf("head %d after redis forgot, want %d still", head, c.want)
			}
		})
	}
}

// While nobody can know the draw, tokens that run over are no reason to call more.
func TestUnknownDrawIsNoAbsence(t *testing.T) {
	t.Parallel()
	o := newOpening(t, "100/s", 100_000, 1)
	o.until(3 * time.Second)
	if o.called > 1000 {
		t.Errorf("%d called in the first 3 s", o.called)
	}
	o.until(30 * time.Second)
	if o.called < 10_000 {
		t.Errorf("%d called in 30 s, though nobody comes", o.called)
	}
}

// A clock that steps back to before the draw does not hold the head there.
func TestHeadMovesOnWhenTheClockStepsBack(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, saleAt(v.now, 0, 100, 10))
	orFail(t, v.rdb.HSet(t.Context(), "wr:{line:golden-toy}", "entered", 100_000).Err())
	orFail(t, l.Pause(t.Context()))
	tick(t, l)
	v.advance(time.Minute)
	orFail(t, l.Resume(t.Context()))
	var before, after *queueing.Snapshot
	for range 100 {
		before = tick(t, l)
		v.advance(100 * time.Millisecond)
	}
	v.advance(-30 * time.Second)
	for range 20 {
		after = tick(t, l)
		v.advance(100 * time.Millisecond)
	}
	if before.Head == 0 || after.Head < before.Head+100 {
		t.Errorf("head %d, then in two seconds of the time before %d", before.Head, after.Head)
	}
}

// The script reckons with what the pages do, word for word.
func TestOpeningIsThatOfThePages(t *testing.T) {
	t.Parallel()
	for file, rules := range map[string][]string{
		"../static/web/script/polls.js": {"AGE = 1200;", "(seen ? seen.entered : 0) / 100000, 8)", "many = clamp(5, crowd / 20000, 60)", "clamp(2, soonest / 3, 60)"},
		"lua/tick.lua":                  {"AGE = 1.2 ", "line.drawn / 100000, 1), 8)", "line.drawn / 20000, 5), 60)", "SOON = 2 "},
	} {
		text, err := os.ReadFile(file)
		orFail(t, err)
		for _, rule := range rules {
			if !strings.Contains(string(text), rule) {
				t.Errorf("%s has no %q any more: the other one must follow it", file, rule)
			}
		}
	}
}

func orFail(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
