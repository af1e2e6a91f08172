package rehearsal

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// The distances are those of the pages' own script, word for word.
func TestPollsAreThoseOfThePages(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../../static/web/script/polls.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{
		"AGE = 1200;",
		"clamp(data.page === 'doors' ? 5 : 1, (seen ? seen.entered : 0) / 100000, 8)",
		"(told ? 1 : .75) + Math.random() / (told ? 4 : 2)",
		"many = clamp(5, crowd / 20000, 60)",
		"clamp(2, soonest / 3, 60)",
		"case 'hopeless': return recall(seen, clamp(30, crowd / 10000, 120))",
		"place / Math.max(1, s.head + s.hopeless_ahead) - 1",
		"clamp(10, Math.min(most * beyond, until), most)",
		"? 2 : many",
		"clamp(3, left() / 8, 15)",
	} {
		if !strings.Contains(string(script), rule) {
			t.Errorf("polls.js has no %q any more: polls.go must follow it", rule)
		}
	}
}

func TestDistances(t *testing.T) {
	t.Parallel()
	crowd := func(n float64) *pages { return &pages{entered: n, rate: 100, open: 3600} }
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"the draw, a few", crowd(10).many(), 5},
		{"the draw, a million", crowd(1e6).many(), 50},
		{"the draw, ten million", crowd(1e7).many(), 60},
		{"hopeless, a few", crowd(10).hopeless(), 30},
		{"hopeless, a million", crowd(1e6).hopeless(), 100},
		{"hopeless, ten million", crowd(1e7).hopeless(), 120},
		{"called back first", crowd(1e6).recall(5000, 0, 5000, false), 10},
		{"called back soon", crowd(1e6).recall(6250, 0, 5000, false), 25},
		{"called back hardly", crowd(1e6).recall(50_000, 0, 5000, false), 100},
		{"called before it is called back", crowd(1e6).recall(9000, 2000, 5000, true), 70. / 3},
		{"hopeless on average, while the head moves", math.Round(1e6 * (&pages{entered: 1e6, rate: 2000, open: 3600}).shed(0, 93_700, 1e6, true)), 17_223},
		{"after the draw, a few", crowd(10).spread(), 1},
		{"after the draw, half a million", crowd(5e5).spread(), 5},
		{"after the draw, a million", crowd(1e6).spread(), 8},
		{"next in line", crowd(10).waiting(0), 2},
		{"called in a minute", crowd(10).waiting(6000), 20},
		{"called in ten minutes", crowd(10).waiting(60_000), 60},
		{"the head is faster than the rate", (&pages{rate: 100, speed: 200, open: 3600}).waiting(6000), 10},
		{"it closes before", (&pages{rate: 100, open: 30}).waiting(60_000), 10},
		{"doors in an hour", crowd(10).doors(3600), 15},
		{"doors in a minute", crowd(10).doors(60), 7.5},
		{"doors now", crowd(10).doors(0), 3},
		{"paying within two minutes", crowd(10).order(2 * time.Minute), 7.5},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v s, want %v", test.name, test.got, test.want)
		}
	}
}

// The sum is that of all places one by one, and what docs/shoppers.md says of a
// million.
func TestInLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pages
		n    uint64
		want float64 // 0: not written down anywhere
	}{
		{pages{rate: 2000, open: 3600}, 1_000_000, 37_100},
		{pages{rate: 2000, open: 3600}, 500_000, 28_700},
		{pages{rate: 2000, open: 3600}, 100_000, 18_700},
		{pages{rate: 50, open: 3600}, 200, 0},
		{pages{rate: 50, speed: 400, open: 3600}, 30_000, 0},
		{pages{rate: 50, open: 90}, 30_000, 0},
		{pages{rate: 50, open: 1}, 30_000, 0},
		{pages{rate: 50, open: 3600}, 0, 0},
	} {
		var sum float64
		for ahead := range test.n {
			sum += 1 / test.waiting(ahead)
		}
		got := test.inLine(float64(test.n))
		if math.Abs(got-sum) > max(1, sum/1000) || test.want > 0 && math.Abs(got-test.want) > 50 {
			t.Errorf("%d places of %+v: %.0f a second, one by one %.0f, want %.0f", test.n, test.pages, got, sum, test.want)
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	var g pages
	for _, look := range []struct {
		after time.Duration
		head  uint64
		want  float64
	}{{time.Second, 50, 0}, {2 * time.Second, 400, 100}, {4 * time.Second, 800, 150}} {
		if g.watch(moment(0).add(look.after), look.head); g.speed != look.want {
			t.Errorf("after %v: speed %v, want %v", look.after, g.speed, look.want)
		}
	}
}

// Every page that is open is counted, and none that is closed.
func TestAsking(t *testing.T) {
	t.Parallel()
	opens := time.Date(2027, 11, 26, 9, 0, 0, 0, time.UTC)
	at := func(when time.Duration, change func(*play)) *play {
		p := &play{stores: &stores{now: moment(opens.Add(when).UnixMicro())}, sale: &configs.Sale{Doors: opens.Add(-time.Hour), Opens: opens, Hold: 2 * time.Minute}}
		p.pages = pages{entered: 1e6, rate: 100, open: 3600}
		p.units = gate.Snapshot{Left: 1}
		p.early = 300
		p.count[lottery], p.told[toldHopeless] = 5000, 2000
		change(p)
		return p
	}
	for _, test := range []struct {
		name           string
		play           *play
		polls, private float64
	}{
		{"before the doors", at(-2*time.Hour, func(*play) {}), 20, 0},
		{"before the draw", at(-time.Minute, func(*play) {}), 100, 0},
		{"after it", at(time.Minute, func(p *play) { p.opened = true }), 20, 0},
		{"all held", at(time.Minute, func(p *play) {
			p.opened, p.units.Left, p.closed = true, 0, 100
			p.count[waiting], p.count[stranded], p.count[called], p.count[admitted] = 1100, 40, 10, 5
			p.count[holding] = 75
		}), 20 + 20 + 20 + 1, 10},
		{"sold out", at(time.Minute, func(p *play) { p.opened, p.soldOut = true, true }), 0, 0},
	} {
		if polls, private := test.play.asking(); polls != test.polls || private != test.private {
			t.Errorf("%s: %v and %v a second, want %v and %v", test.name, polls, private, test.polls, test.private)
		}
	}
}

// Shares of a second add up to whole questions, and none is lost.
func TestFlow(t *testing.T) {
	t.Parallel()
	l := newLoad(0, moment(0).add(10*time.Second))
	for second := range int64(10) {
		l.polls.add(second, 0.3)
	}
	l.poll(moment(0).add(3 * time.Second))
	if got := l.polls.total(); got != 4 {
		t.Errorf("%d in all, want 4", got)
	}
	if peak := l.peak(&l.polls); peak != (Peak{PerSecond: 2, At: 3e6}) {
		t.Errorf("peak %+v, want 2 in second 3", peak)
	}
}

// Units that are held may come back, and so count.
func TestShelfTellsOfTheStock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		gate.Snapshot
		state string
		held  int
	}{
		{gate.Snapshot{Total: 100, Left: 100}, "open", 0},
		{gate.Snapshot{Total: 200, Left: 60, Paid: 100}, "open", 40},
		{gate.Snapshot{Total: 200, Left: 0, Paid: 199}, "all_held", 1},
	} {
		var s shelf
		s.learn(test.Snapshot)
		if stock := s.published(); stock.Held != test.held || stock.State != test.state {
			t.Errorf("%+v: %+v; want %d held, %s", test.Snapshot, stock, test.held, test.state)
		}
	}
}

// Whoever joins before the tail waits, is told once it begins before them, and is
// called back when it does no more.
func TestTailTellsAndCallsBack(t *testing.T) {
	t.Parallel()
	opens := time.Date(2027, 11, 26, 9, 0, 0, 0, time.UTC)
	p := &play{stores: &stores{now: when(opens.Add(time.Minute))}, chance: newChance(1), opened: true,
		sale: &configs.Sale{Opens: opens, Closes: opens.Add(time.Hour)}}
	p.people = people{crowd: []shopper{{number: 9, place: 9, stage: lottery, missed: true}}, byPlace: make([]uint32, 10)}
	p.byPlace[9] = 1
	p.line = &queueing.Snapshot{State: queueing.StateOpen, Now: p.now.time(), Closes: p.sale.Closes, Head: 5, Entered: 10, Rate: 1, Draw: &queueing.Draw{}}
	p.pages.rate, p.units.Left = 1, 1
	p.from = 10
	if p.look(0); p.crowd[0].stage != waiting {
		t.Fatalf("at 9, hopeless from 10: stage %d", p.crowd[0].stage)
	}
	if p.tellTail(9); p.crowd[0].answer != toldHopeless || p.told[toldHopeless] != 1 {
		t.Errorf("at 9, hopeless from 9: told %d", p.crowd[0].answer)
	}
	if p.tellTail(10); p.crowd[0].stage != waiting || p.crowd[0].answer != noAnswer || p.report.CalledBack != 1 {
		t.Errorf("at 9, hopeless from 10 again: stage %d, told %d", p.crowd[0].stage, p.crowd[0].answer)
	}
}
