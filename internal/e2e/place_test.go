package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// Two edges whose clocks are wrong hold one line by Redis's clock: its doors, its
// draw and what comes after it. A place, once drawn, is the same at both, and
// stays, whatever happens to the edges and to Redis.
func TestPlacesAreKept(t *testing.T) {
	t.Parallel()
	p := openPair(t, 7*time.Second, 15*time.Second, 1, 1)
	l := &linewatch{pair: p, head: map[*server]uint64{}}

	// The fast edge thinks that the doors are open.
	for _, e := range p.edges() {
		if s := p.status(e); s.State != "scheduled" || s.Commitment != "" {
			t.Errorf("before the doors: %+v", s)
		}
		if s := p.ask(p.browser("early"), e, http.MethodPost, "ticket"); s.code != http.StatusTooManyRequests || s.Number != nil {
			t.Errorf("a ticket before the doors: %+v", s)
		}
	}
	p.before(p.doors)

	// The slow edge thinks that they are closed, the fast one that the sale is open.
	p.past(p.doors)
	eventually(t, "the doors are open at both edges", func() bool {
		return p.status(p.slow).State == "doors" && p.status(p.fast).State == "doors"
	})
	const early = 18
	for i := range early {
		l.join(p.edges()[i%2], "lottery")
	}
	for _, e := range p.edges() {
		if s := p.status(e); s.State != "doors" || s.Seed != "" || s.Head != 0 {
			t.Errorf("before the opening: %+v", s)
		}
	}
	p.before(p.sale.opens)

	// The slow edge thinks that it is not open yet.
	p.past(p.sale.opens)
	l.drawn(early)
	for i := range 4 {
		l.joinLate(p.edges()[i%2])
	}
	p.before(p.sale.opens.Add(wrong))
	l.watch("after the draw")

	p.write("Silver toy")
	eventually(t, "both edges have the new title", func() bool {
		return p.status(p.slow).Title == "Silver toy" && p.status(p.fast).Title == "Silver toy"
	})
	l.watch("after a reload")

	p.act(p.slow, http.MethodPost, "pause", "")
	eventually(t, "both edges pause", func() bool {
		return p.status(p.slow).State == "paused" && p.status(p.fast).State == "paused"
	})
	l.joinLate(p.fast)
	l.watch("while paused")
	p.act(p.fast, http.MethodPost, "resume", "")
	p.act(p.slow, http.MethodPut, "rate", `{"admit": "2/s"}`)
	eventually(t, "the fast edge has the new rate", func() bool { return p.status(p.fast).Rate == 2 })
	l.watch("at another rate")

	for _, wrong := range []time.Duration{time.Hour, -time.Hour, 0} {
		p.fast.setClock(t, wrong)
		l.watch(fmt.Sprintf("with a clock that is wrong by %v", wrong))
	}
	p.slow.Kill()
	l.watchAt("while an edge is down", p.fast)
	p.slow.start(t)
	l.joinLate(p.slow)
	l.watch("after a restart")

	if err := p.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	l.watch("after Redis forgot")
	l.joinLate(p.slow)
	l.joinLate(p.fast)
	l.watch("and people came")

	p.fast.Kill()
	if err := p.slow.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.fast.start(t)
	l.watch("after the other's restart")
	if l.head[p.slow] == 0 {
		t.Error("the head has never moved")
	}
}

// linewatch holds the edges to what was drawn.
type linewatch struct {
	*pair
	seats []*watched
	draw  queueing.Draw
	seed  string
	head  map[*server]uint64 // the highest that was seen there
	late  uint64             // the last number after the draw
}

// watched is one who waits.
type watched struct {
	*browser
	number uint64
	ahead  map[*server]uint64 // the fewest that were told there
}

// join takes a ticket from an edge, in a state.
func (l *linewatch) join(edge *server, state string) *watched {
	l.t.Helper()
	w := &watched{browser: l.browser(fmt.Sprintf("account-%d", len(l.seats))), ahead: map[*server]uint64{}}
	s := l.ask(w.browser, edge, http.MethodPost, "ticket")
	if s.code != http.StatusCreated || s.Number == nil || state != "" && s.State != state {
		l.t.Fatalf("ticket %d: %+v, want a number and state %q", len(l.seats), s, state)
	}
	w.number = *s.Number
	for _, other := range l.seats {
		if other.number == w.number {
			l.t.Fatalf("number %d given twice", w.number)
		}
	}
	l.seats = append(l.seats, w)
	return w
}

// joinLate is join once all have been drawn: behind everyone, in order of arrival.
func (l *linewatch) joinLate(edge *server) {
	l.t.Helper()
	w := l.join(edge, "")
	if w.number <= l.late {
		l.t.Errorf("number %d after %d", w.number, l.late)
	}
	l.late = w.number
	if s := l.ask(w.browser, edge, http.MethodGet, "me"); s.Place == nil || *s.Place != w.number {
		l.t.Errorf("number %d, which came after the draw, stands at %v", w.number, s.Place)
	}
}

// drawn waits for the draw, which must be of so many.
func (l *linewatch) drawn(n uint64) {
	l.t.Helper()
	for _, e := range l.edges() {
		s := l.status(e)
		for begun := time.Now(); s.Drawn == nil && time.Since(begun) < time.Second; s = l.status(e) {
			pause(l.t.Context(), 20*time.Millisecond)
		}
		if s.Drawn == nil || *s.Drawn != n || l.seed != "" && s.Seed != l.seed {
			l.t.Fatalf("the draw: %+v, want one of %d, the same at both edges", s, n)
		}
		seed, err := queueing.ParseSeed(s.Seed)
		if err != nil || seed.Commitment() != s.Commitment {
			l.t.Fatalf("the draw: %+v, %v: not of the seed that was committed to", s, err)
		}
		l.seed, l.draw, l.late = s.Seed, queueing.NewDraw(seed, saleID, n, ""), n-1
	}
}

// watch asks both edges of everybody.
func (l *linewatch) watch(when string) {
	l.t.Helper()
	for _, e := range l.edges() {
		l.watchAt(when, e)
	}
}

// watchAt holds one edge, asked by all at once, to everybody's place, to a head that does not go back
// and to waits that do not grow.
func (l *linewatch) watchAt(when string, edge *server) {
	l.t.Helper()
	var all sync.WaitGroup
	for _, w := range l.seats {
		all.Go(func() { l.watchOne(when, edge, w) })
	}
	all.Wait()
	if l.t.Failed() {
		l.t.FailNow()
	}
	s := l.status(edge)
	if s.Seed != l.seed || s.Head < l.head[edge] {
		l.t.Errorf("%s: head %d and seed %q, before it was %d and %q", when, s.Head, s.Seed, l.head[edge], l.seed)
	}
	l.head[edge] = s.Head
}

// watchOne asks an edge of one who waits.
func (l *linewatch) watchOne(when string, edge *server, w *watched) {
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	s, err := l.try(ctx, w.browser, edge, http.MethodGet, "me")
	want := l.draw.Place(w.number)
	switch {
	case err != nil:
		l.t.Errorf("%s: number %d: %v", when, w.number, err)
	case s.Number == nil || *s.Number != w.number || s.Place == nil || *s.Place != want:
		l.t.Errorf("%s: number %d is told %+v, want place %d", when, w.number, s, want)
	case s.Ahead == nil:
		l.t.Errorf("%s: number %d is not told how many are ahead", when, w.number)
	default:
		if before, ok := w.ahead[edge]; ok && *s.Ahead > before {
			l.t.Errorf("%s: ahead of number %d are %d, were %d", when, w.number, *s.Ahead, before)
		}
		w.ahead[edge] = *s.Ahead
	}
}
