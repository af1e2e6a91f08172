package queueing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
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
	most   int               // passes unused at a time
	hash   map[string]string // a copy of what Redis had
	given  []redis.Z
	hush   bool // not every edge has said yet what it remembers
	lost   int  // of ten that buy so many are never told
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
	got, err := e.line.Claim(s.t.Context(), at(place))
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
	if s.rng.IntN(10) >= s.lost {
		s.owed = append(s.owed, place)
	}
	s.check("a buy")
}

// tell lets edges hear of what was bought.
func (s *shop) tell() {
	for i, place := range s.owed {
		for range 1 + i%2 { // twice is once
			s.someone().line.Spend(at(place), s.used[place].Add(-time.Minute))
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
	rounds := uint64(8)
	if whole {
		rounds = 500
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, seed, 1+int(seed*7%30), 3)
			s.lost = 1
			enter(t, s.edges[0].line, 300)
			for _, e := range s.edges {
				s.turn(e)
			}
			s.v.advance(time.Second)
			s.keep()
			units := s.left
			for range 1000 {
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
					if s.rng.IntN(10) == 0 {
						s.keep()
					}
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
			if s.most < (min(units, 5)+1)/2 {
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

// keep takes a copy of what Redis has.
func (s *shop) keep() {
	s.hash = copyOf(s.t, s.v.rdb)
	var err error
	if s.given, err = s.v.rdb.ZRangeWithScores(s.t.Context(), passesKey, 0, -1).Result(); err != nil {
		s.t.Fatal(err)
	}
}

const passesKey = "wr:{line:golden-toy}:passes"

// forget empties Redis, or puts the copy in its place. Every edge ticks before
// numbers, and passes, are given again.
func (s *shop) forget() {
	lose(s.t, s.v.rdb, s.hash, s.rng)
	if s.v.rdb.Exists(s.t.Context(), "wr:{line:golden-toy}").Val() > 0 && len(s.given) > 0 {
		if err := s.v.rdb.ZAdd(s.t.Context(), passesKey, s.given...).Err(); err != nil {
			s.t.Fatal(err)
		}
	}
	s.v.advance(time.Microsecond)
	s.hush = true
	for _, i := range s.rng.Perm(len(s.edges)) {
		s.claim(s.someone(), uint64(s.rng.IntN(300)))
		s.turn(s.edges[i])
	}
	s.hush = false
}

// tickWith is a tick of an edge that has just looked at the gate.
func tickWith(t testing.TB, l *queueing.Line, left int) *queueing.Snapshot {
	t.Helper()
	spent := l.Spent()
	s, err := l.Tick(t.Context(), left > 0, queueing.Stock{Left: left, Spent: spent})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A pass lives for a minute and is the same however often it is asked for. Then its
// unit is free, a few seconds later, and the turn is still there.
func TestUnitPassEnds(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, unitSale(v.now, 100, 10)).Hasten()
	enter(t, l, 20)
	call(t, v, l, 1)
	given := v.now
	first, err := l.Claim(t.Context(), at(0))
	if err != nil || !first.Admitted.Equal(given) || !first.Expires.Equal(given.Add(time.Minute)) {
		t.Fatalf("%+v, %v; want a pass for a minute", first, err)
	}
	v.advance(59 * time.Second)
	if again, err := l.Claim(t.Context(), at(0)); err != nil || !again.Again || !again.Expires.Equal(first.Expires) || !again.Admitted.Equal(first.Admitted) {
		t.Errorf("again: %+v, %v; want the same", again, err)
	}
	for _, c := range []struct {
		after time.Duration
		free  bool
	}{{0, false}, {5 * time.Second, false}, {7 * time.Second, true}} {
		v.at(given.Add(59*time.Second + c.after))
		tickWith(t, l, 1)
		_, err := l.Claim(t.Context(), at(1))
		if _, wait := errors.AsType[*queueing.WaitError](err); wait == c.free || !wait && err != nil {
			t.Errorf("%v after 59 s: another turn: %v, want it free: %v", c.after, err, c.free)
		}
	}
	v.advance(time.Minute + 6*time.Second)
	tickWith(t, l, 1)
	if next, err := l.Claim(t.Context(), at(0)); err != nil || next.Again {
		t.Errorf("the first turn once more: %+v, %v; want another pass", next, err)
	}
}

// call lets the head go beyond a few places, without a unit taken.
func call(t *testing.T, v *virtual, l *queueing.Line, left int) {
	t.Helper()
	for range 100 {
		if s := tickWith(t, l, left); s.Head >= 3 {
			return
		}
		v.advance(500 * time.Millisecond)
	}
	t.Fatal("nobody is called")
}

// Who lets a pass end stands back while others wait, and else has it at once.
func TestWhoLetsAPassEndStandsBack(t *testing.T) {
	t.Parallel()
	for _, others := range []bool{true, false} {
		v := newVirtual(t)
		l := queueing.NewLine(v.rdb, unitSale(v.now, 100, 10)).Hasten()
		enter(t, l, 20)
		call(t, v, l, 1)
		claim := func(place uint64) bool {
			_, err := l.Claim(t.Context(), at(place))
			return err == nil
		}
		if !claim(0) {
			t.Fatal("no pass")
		}
		end := v.now.Add(65 * time.Second)
		for ; v.now.Before(end); v.advance(time.Second) {
			if others && claim(1) {
				t.Fatal("two passes for one unit")
			}
			tickWith(t, l, 1)
		}
		tickWith(t, l, 1)
		if got := claim(0); got == others {
			t.Errorf("while others wait: %v; the pass is given again: %v", others, got)
		}
		if got := claim(1); got != others {
			t.Errorf("while others wait: %v; they have it: %v", others, got)
		}
	}
}

// A pass is spent once, however often that is told, and one of a minute before is not
// the one of now.
func TestSpendingAPassOnce(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := unitSale(s.now(), 1000, 100)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 20)
		for tickWith(t, a, 10).Head < 10 {
			s.wait(100 * time.Millisecond)
		}
		got, err := a.Claim(t.Context(), at(2))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Claim(t.Context(), invited(2)); err != nil {
			t.Fatal(err)
		}
		a.Spend(at(2), got.Admitted.Add(-time.Second)) // of an earlier pass
		if snap := tickWith(t, a, 10); snap.Spent != 0 || snap.Unused != 2 {
			t.Errorf("%d spent, %d unused; want 0 and 2", snap.Spent, snap.Unused)
		}
		for range 3 {
			a.Spend(at(2), got.Admitted.Truncate(time.Millisecond)) // as a cookie has it
			b.Spend(at(2), got.Admitted)
			b.Spend(at(7), got.Admitted) // who has none
			tickWith(t, a, 9)
			if snap := tickWith(t, b, 9); snap.Spent != 1 || snap.Unused != 1 {
				t.Errorf("%d spent, %d unused; want one of each", snap.Spent, snap.Unused)
			}
		}
		b.Spend(invited(2), got.Admitted.Add(time.Minute))
		if snap := tickWith(t, b, 8); snap.Spent != 2 || snap.Unused != 0 {
			t.Errorf("%d spent, %d unused; want 2 and none", snap.Spent, snap.Unused)
		}
	})
}

// A tick that does not come through is told with the next one.
func TestSpendingOutlivesATickThatFails(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, unitSale(v.now, 1000, 100)).Hasten()
	enter(t, l, 20)
	call(t, v, l, 5)
	got, err := l.Claim(t.Context(), at(0))
	if err != nil {
		t.Fatal(err)
	}
	l.Spend(at(0), got.Admitted)
	v.redis.SetError("LOADING Redis is loading the dataset in memory")
	if _, err := l.Tick(t.Context(), true, queueing.Stock{Left: 4}); err == nil {
		t.Fatal("a tick without Redis")
	}
	v.redis.SetError("")
	if snap := tickWith(t, l, 4); snap.Spent != 1 {
		t.Errorf("%d spent, want 1", snap.Spent)
	}
}

// The setting may be changed while the sale is open: the line goes on, and the picture
// is drawn anew at once.
func TestMatchingIsSwitched(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	on := unitSale(v.now, 1000, 100)
	off := *on
	off.MatchStock = false
	l := queueing.NewLine(v.rdb, &off).Hasten()
	enter(t, l, 50)
	for range 20 {
		tickWith(t, l, 2)
		v.advance(100 * time.Millisecond)
	}
	passes := func(l *queueing.Line) (n int) {
		for place := range uint64(20) {
			if _, err := l.Claim(t.Context(), at(place)); err == nil {
				n++
			}
		}
		return n
	}
	if n := passes(l); n != 20 {
		t.Errorf("%d passes without matching, want 20", n)
	}
	l = l.Again(on).Hasten()
	if snap := tickWith(t, l, 2); snap.Shown.Entered != 50 || snap.Unused != 0 {
		t.Errorf("%d entered, %d unused", snap.Shown.Entered, snap.Unused)
	}
	if n := passes(l); n != 2 {
		t.Errorf("%d passes for two units, want 2", n)
	}
	l = l.Again(&off).Hasten()
	tickWith(t, l, 2)
	if n := passes(l); n != 20 {
		t.Errorf("%d passes without matching again, want 20", n)
	}
}

// Where passes are not matched, nothing is kept of them.
func TestNoUnitsWithoutMatching(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, saleAt(v.now, 0, 1000, 100)).Hasten()
	enter(t, l, 20)
	for range 10 {
		tickWith(t, l, 1)
		v.advance(100 * time.Millisecond)
	}
	if _, err := l.Claim(t.Context(), at(0)); err != nil {
		t.Fatal(err)
	}
	l.Spend(at(0), v.now)
	tickWith(t, l, 1)
	hash := copyOf(t, v.rdb)
	for _, field := range []string{"spent", "units", "known", "astray", "proofs"} {
		if value, ok := hash[field]; ok {
			t.Errorf("%s is %q", field, value)
		}
	}
	if v.rdb.Exists(t.Context(), passesKey).Val() > 0 {
		t.Error("passes are kept")
	}
}

// Over a real Redis, with edges that look and tick as they please and a crowd that
// claims and buys at once, each pass has a unit, all units are sold, and who keeps a
// pass for nothing keeps one unit.
func TestUnitsOfARealCrowd(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	const units, idle, people, edges = 80, 10, 400, 3
	sale := unitSale(time.Now(), 2000, 200)
	var mu sync.Mutex
	left, unused := units, 0
	look := func() int {
		mu.Lock()
		defer mu.Unlock()
		return left
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var lines []*queueing.Line
	for range edges {
		lines = append(lines, queueing.NewLine(rdb, sale))
	}
	enter(t, lines[0], people)
	var ticking, crowd sync.WaitGroup
	for _, l := range lines {
		ticking.Go(func() {
			for ctx.Err() == nil {
				spent := l.Spent()
				n := look()
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // the look gets old
				if _, err := l.Tick(ctx, n > 0, queueing.Stock{Left: n, Spent: spent}); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	// take reports whether somebody with a pass got a unit, or there is nothing more.
	take := func(l *queueing.Line, place uint64, keeps bool) (done bool) {
		got, err := l.Claim(ctx, at(place))
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			return false
		}
		mu.Lock()
		if unused++; unused > left {
			t.Errorf("%d passes for %d units", unused, left)
		}
		mu.Unlock()
		if keeps {
			return true
		}
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		mu.Lock()
		unused, left = unused-1, left-1
		mu.Unlock()
		l.Spend(at(place), got.Admitted)
		return true
	}
	for place := range uint64(people) {
		crowd.Go(func() {
			for ctx.Err() == nil && look() > idle && !take(lines[place%edges], place, place < idle) {
			}
		})
	}
	crowd.Wait()
	cancel()
	ticking.Wait()
	if left > idle || unused > idle {
		t.Errorf("%d units left and %d passes kept, want %d", left, unused, idle)
	}
}

// TestNoTimeIsToldWhilePassesLieUnused: who waits for others to let their passes end is
// told no time, and nobody is once there are units for all.
func TestNoTimeIsToldWhilePassesLieUnused(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, 3, 1)
	s.sale.Admit = configs.Rate{Count: 10, Per: time.Second}
	e := s.edges[0]
	enter(t, e.line, 20)
	s.v.advance(2 * time.Second)
	picture := func() *queueing.Snapshot {
		s.t.Helper()
		snap, err := e.line.Tick(t.Context(), true, queueing.Stock{Left: s.left, Spent: e.line.Spent()})
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	last := func() queueing.Standing { return placed(picture(), 19) }
	in := 0
	for range 100 {
		picture()
		for place := range uint64(6) {
			if in < 3 && s.passes[place].IsZero() && s.claim(e, place) {
				in++
			}
		}
		s.v.advance(100 * time.Millisecond)
	}
	if in != 3 {
		t.Fatalf("%d have a pass, want 3", in)
	}
	for range 50 {
		if st := last(); st.State != queueing.StandingWaiting || st.High != 0 {
			t.Fatalf("the last is told %+v while three passes lie unused, want no latest", st)
		}
		s.v.advance(time.Second)
	}
	s.left = 100
	if snap := picture(); snap.Free < 50 {
		t.Errorf("with 100 units for 20 people %d can be let in before somebody has to wait", snap.Free)
	}
}

// placed is where a place stands.
func placed(s *queueing.Snapshot, place uint64) queueing.Standing {
	for number := range s.Entered {
		if at, ok := s.Place(numbered(number)); ok && at == place {
			return s.Standing(numbered(number))
		}
	}
	return queueing.Standing{}
}
