package queueing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

func TestEnterGivesEachNumberOnce(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		edges := []*queueing.Line{queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)}
		const each = 200
		numbers := make(chan uint64, len(edges)*each)
		var wg sync.WaitGroup
		for i := range len(edges) * each {
			wg.Go(func() {
				n, err := edges[i%len(edges)].Enter(t.Context(), queueing.Entry{})
				if err != nil {
					t.Error(err)
				}
				numbers <- n.Value
			})
		}
		wg.Wait()
		close(numbers)
		got := slices.Sorted(func(yield func(uint64) bool) {
			for n := range numbers {
				if !yield(n) {
					return
				}
			}
		})
		for i, n := range got {
			if n != uint64(i) {
				t.Fatalf("the numbers in order: %d at %d", n, i)
			}
		}
		if snap := tick(t, edges[0]); snap.Entered != uint64(len(got)) {
			t.Errorf("entered %d, want %d", snap.Entered, len(got))
		}
	})
}

func TestLineFollowsTheSalesInstants(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		now := s.now()
		sale := func(doors, opens, closes time.Duration) *queueing.Line {
			c := saleAt(now, opens, 100, 10)
			c.Key = "golden-toy@" + doors.String() + opens.String() + closes.String()
			c.Doors, c.Closes = now.Add(doors), now.Add(closes)
			return queueing.NewLine(s.rdb, c)
		}
		const h = time.Hour
		for _, c := range []struct {
			name         string
			line         *queueing.Line
			state        queueing.State
			enter, claim error
			committed    bool
			drawn        bool
		}{
			{"scheduled", sale(h, 2*h, 3*h), queueing.StateScheduled, queueing.ErrNotOpen, queueing.ErrNotOpen, false, false},
			{"doors", sale(-h, h, 2*h), queueing.StateDoors, nil, queueing.ErrNotOpen, true, false},
			{"open", sale(-2*h, -h, h), queueing.StateOpen, nil, queueing.ErrNotCalled, true, true},
			{"ended", sale(-3*h, -2*h, -h), queueing.StateEnded, queueing.ErrEnded, queueing.ErrEnded, true, true},
		} {
			if _, err := c.line.Enter(t.Context(), queueing.Entry{}); !errors.Is(err, c.enter) {
				t.Errorf("%s: enter: %v, want %v", c.name, err, c.enter)
			}
			if _, err := c.line.Claim(t.Context(), at(7)); !errors.Is(err, c.claim) {
				t.Errorf("%s: claim: %v, want %v", c.name, err, c.claim)
			}
			snap := tick(t, c.line)
			if snap.State != c.state || snap.Drawn != c.drawn || (snap.Seed != nil) != c.drawn || (snap.Commitment != "") != c.committed {
				t.Errorf("%s: state %s, drawn %v, seed shown %v, commitment %q", c.name, snap.State, snap.Drawn, snap.Seed != nil, snap.Commitment)
			}
			if snap.Seed != nil && snap.Seed.Commitment() != snap.Commitment {
				t.Errorf("%s: the seed is not the one committed to", c.name)
			}
		}
	})
}

// One clock decides the border: before opening is in the draw, from opening on
// is behind it in order of arrival, on every edge.
func TestLateEntriesStandBehindTheDraw(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Second, 100, 10)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		early := append(enter(t, a, 10), enter(t, b, 10)...)
		before := tick(t, a)
		if _, ok := before.Place(numbered(0)); ok || before.Seed != nil {
			t.Error("a place before the draw")
		}
		s.wait(1050 * time.Millisecond)
		late := append(enter(t, b, 3), enter(t, a, 3)...) // nobody ticked since opening
		sa, sb := tick(t, a), tick(t, b)
		if sa.DrawnCount != uint64(len(early)) || sb.DrawnCount != sa.DrawnCount || *sa.Seed != *sb.Seed {
			t.Errorf("drawn %d and %d, want %d on both", sa.DrawnCount, sb.DrawnCount, len(early))
		}
		if want := queueing.NewDraw(*sa.Seed, sale.Key, sa.DrawnCount, ""); sa.Draw == nil || *sa.Draw != want || before.Draw != nil {
			t.Error("the draw is not that of the published seed and count")
		}
		if sa.Commitment != before.Commitment {
			t.Error("another seed was committed to")
		}
		var places []uint64
		for _, number := range append(early, late...) {
			place, ok := sa.Place(numbered(number))
			if other, _ := sb.Place(numbered(number)); !ok || other != place {
				t.Errorf("number %d stands at %d and at %d", number, place, other)
			}
			places = append(places, place)
		}
		if got := places[len(early):]; !slices.Equal(got, late) {
			t.Errorf("late places %v, want %v", got, late)
		}
		slices.Sort(places)
		for i, p := range places {
			if p != uint64(i) {
				t.Errorf("place %d at %d", p, i)
			}
		}
	})
}

func TestClaimAgainGivesTheSamePass(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), 0, 10, 1)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 50)
		tick(t, a)
		s.wait(600 * time.Millisecond)
		if snap := tick(t, a); snap.Head < 2 || snap.Head > 30 { // one tick that makes up for all of it, and finds the bucket full
			t.Fatalf("head %d after 0.6 s at 10/s", snap.Head)
		}
		first, err := a.Claim(t.Context(), at(0))
		if err != nil || first.Again {
			t.Fatalf("first claim: %+v, %v", first, err)
		}
		if life := first.Expires.Sub(s.now()); life < 10*time.Minute-time.Second || life > 20*time.Minute {
			t.Errorf("the pass lives %v, want 10 to 20 minutes", life)
		}
		again, err := b.Claim(t.Context(), at(0))
		if err != nil || !again.Again || !again.Expires.Equal(first.Expires) || again.Admitted.After(first.Admitted) {
			t.Errorf("second claim: %+v, %v, want the pass %+v again", again, err, first)
		}
		_, err = b.Claim(t.Context(), at(1))
		if wait, ok := errors.AsType[*queueing.WaitError](err); !ok || wait.Retry < time.Second {
			t.Errorf("claim without a token: %v, want a wait of a second or more", err)
		}
		if _, err := b.Claim(t.Context(), at(49)); !errors.Is(err, queueing.ErrNotCalled) {
			t.Errorf("claim beyond the head: %v, want ErrNotCalled", err)
		}
		if snap := tick(t, b); snap.Passes != 1 {
			t.Errorf("%d passes, want 1", snap.Passes)
		}
	})
}

func TestPauseHoldsTheLine(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), 0, 100, 10)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 100)
		tick(t, a)
		s.wait(100 * time.Millisecond)
		tick(t, a)
		for range 2 {
			if err := a.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		before := tick(t, b)
		s.wait(200 * time.Millisecond)
		after := tick(t, b)
		if before.State != queueing.StatePaused || after.Head != before.Head {
			t.Errorf("state %s, head %d then %d", before.State, before.Head, after.Head)
		}
		if _, err := b.Claim(t.Context(), at(0)); !errors.Is(err, queueing.ErrPaused) {
			t.Errorf("claim: %v, want ErrPaused", err)
		}
		if n := enter(t, b, 1)[0]; n != 100 {
			t.Errorf("number %d while paused, want 100", n)
		}
		if err := b.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.wait(100 * time.Millisecond)
		if snap := tick(t, a); snap.State != queueing.StateOpen || snap.Head <= after.Head {
			t.Errorf("after the pause: state %s, head %d", snap.State, snap.Head)
		}
		if _, err := a.Claim(t.Context(), at(0)); err != nil {
			t.Errorf("claim after the pause: %v", err)
		}
	})
}

func TestActionsReachEveryEdge(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), 0, 100, 10)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		if snap := tick(t, b); snap.Rate != 100 || snap.Message != "" {
			t.Errorf("rate %v, message %q", snap.Rate, snap.Message)
		}
		const text = "we are back at 10:15, \"sorry\"\n"
		if err := a.SetMessage(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if err := a.SetRate(t.Context(), configs.Rate{Count: 30, Per: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if snap := tick(t, b); snap.Rate != 0.5 || snap.Message != text {
			t.Errorf("rate %v, message %q", snap.Rate, snap.Message)
		}
		if err := a.SetMessage(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if snap := tick(t, b); snap.Rate != 0.5 || snap.Message != "" {
			t.Errorf("rate %v, message %q", snap.Rate, snap.Message)
		}
		if err := a.SetRate(t.Context(), configs.Rate{Per: time.Second}); err == nil {
			t.Error("a rate of zero accepted")
		}
		if err := a.SetMessage(t.Context(), string(make([]byte, queueing.MaxMessage+1))); err == nil {
			t.Error("a message that is too long was accepted")
		}
	})
}

// With nothing to sell the head stands, and the time that passed is not made
// up for afterwards.
func TestHeadStandsWhileNotCalling(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		l := queueing.NewLine(s.rdb, saleAt(s.now(), 0, 100, 10))
		enter(t, l, 100)
		tick(t, l)
		for range 3 {
			s.wait(100 * time.Millisecond)
			if snap, err := l.Tick(t.Context(), false, queueing.Stock{}); err != nil || snap.Head != 0 {
				t.Fatalf("head %d, %v", snap.Head, err)
			}
		}
		s.wait(50 * time.Millisecond)
		if snap := tick(t, l); snap.Head < 4 || snap.Head > 25 {
			t.Errorf("head %d after 50 ms at 100/s", snap.Head)
		}
	})
}

// What Redis forgets the edges put back: places, the head, pauses. Numbers are
// not given twice, and the bucket is empty.
func TestEdgesRestoreWhatRedisForgot(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), 300*time.Millisecond, 5, 50)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 40)
		tick(t, a)
		s.wait(400 * time.Millisecond)
		tick(t, a)
		enter(t, b, 10)
		s.wait(700 * time.Millisecond)
		before := tick(t, a)
		tick(t, b)
		if before.Head == 0 {
			t.Fatal("head 0")
		}

		forgot := s.now()
		if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		fresh := queueing.NewLine(s.rdb, sale) // an edge that knows nothing asks first
		tick(t, fresh)
		tick(t, b)
		_, err := a.Claim(t.Context(), at(0))
		_, wait := errors.AsType[*queueing.WaitError](err)
		if early := s.now().Sub(forgot) < 200*time.Millisecond; early && !wait {
			t.Errorf("claim from a forgotten bucket: %v, want a wait", err)
		}
		after := tick(t, a)
		if got := tick(t, fresh); got.DrawnCount != after.DrawnCount || *got.Seed != *after.Seed || got.Head < before.Head {
			t.Errorf("the fresh edge sees another draw or head: %+v", got)
		}
		if after.DrawnCount != before.DrawnCount || *after.Seed != *before.Seed || after.Head < before.Head {
			t.Errorf("drawn %d, head %d, want %d and at least %d", after.DrawnCount, after.Head, before.DrawnCount, before.Head)
		}

		s.wait(pause)
		if n := enter(t, b, 1)[0]; n < 50 {
			t.Errorf("number %d given twice", n)
		}

		if err := a.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		tick(t, b)
		s.rdb.FlushAll(t.Context())
		if snap := tick(t, b); snap.State != queueing.StatePaused {
			t.Errorf("state %s, the pause was forgotten", snap.State)
		}
	})
}

// Where nobody remembers a line another one begins, under another name: tickets
// and passes of the one before are worth nothing in it.
func TestLinesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		edge := queueing.NewLine(s.rdb, sale)
		first := tick(t, edge)
		flush := func() {
			s.wait(time.Millisecond)
			if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		}
		flush()
		if again := tick(t, edge); again.Line != first.Line || again.Shown.Line != first.Line {
			t.Errorf("line %q, shown %q; want %q, which an edge remembers", again.Line, again.Shown.Line, first.Line)
		}
		flush()
		other := tick(t, queueing.NewLine(s.rdb, sale))
		if other.Line == first.Line {
			t.Fatalf("line %q, as the one that nobody remembers", other.Line)
		}
		k := keyring(t, newSecret)
		value := k.SignTicket(queueing.Ticket{Sale: first.Line})
		if _, err := k.Ticket(first.Line, value); err != nil {
			t.Error(err)
		}
		if _, err := k.Ticket(other.Line, value); !errors.Is(err, queueing.ErrForged) {
			t.Errorf("a ticket of another line: %v, want ErrForged", err)
		}
	})
}

// A seed that cannot be read is one that was forgotten.
func TestSeedThatCannotBeReadIsPutBack(t *testing.T) {
	t.Parallel()
	for _, torn := range []string{"zzz", "", strings.Repeat("z", 64), strings.Repeat("a", 63)} {
		eachStore(t, func(t *testing.T, s store) {
			sale := saleAt(s.now(), time.Hour, 100, 10)
			edge := queueing.NewLine(s.rdb, sale)
			before := tick(t, edge)
			if err := s.rdb.HSet(t.Context(), "wr:{line:"+sale.Key+"}", "seed", torn).Err(); err != nil {
				t.Fatal(err)
			}
			if after := tick(t, edge); after.Commitment != before.Commitment || after.Line != before.Line {
				t.Errorf("seed %q: commitment %s, want %s", torn, after.Commitment, before.Commitment)
			}
		})
	}
}

// What is published is one picture for all edges, whoever drew it, until its turn
// is over; what an edge sees for itself is newer.
func TestEdgesPublishTheSamePicture(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		see := func(l *queueing.Line, stock queueing.Stock) *queueing.Snapshot {
			snap, err := l.Tick(t.Context(), true, stock)
			if err != nil {
				t.Fatal(err)
			}
			return snap
		}
		same, turns := 0, map[time.Time]string{}
		for i := range 40 {
			enter(t, a, 1)
			for l, stock := range map[*queueing.Line]queueing.Stock{
				a: {Left: 7, Held: 1, State: "of a", Tail: "tail a"}, b: {Left: 8, Held: 2, State: "of b", Tail: "tail b"},
			} {
				snap := see(l, stock)
				if int(snap.Entered) != i+1 {
					t.Fatalf("%d entered, want %d", snap.Entered, i+1)
				}
				if snap.Stock != stock {
					t.Errorf("stock %+v, want what this edge said: %+v", snap.Stock, stock)
				}
				shown := snap.Shown
				said := fmt.Sprint(shown.Entered, shown.Head, shown.State, shown.Stock)
				if before, ok := turns[shown.Now]; ok {
					same++
					if before != said {
						t.Fatalf("published %s and %s in one turn", before, said)
					}
				}
				turns[shown.Now] = said
				if age := snap.Now.Sub(shown.Now); age < 0 || age >= 250*time.Millisecond {
					t.Errorf("a picture of %v ago is shown", age)
				}
			}
		}
		if same == 0 {
			t.Error("each tick published a picture of its own")
		}
	})
}

// An edge that has just started publishes its stock, but takes back nothing of what
// those who wait were told.
func TestNewEdgeTakesNothingBack(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		see := func(l *queueing.Line, stock queueing.Stock) queueing.Stock {
			snap, err := l.Tick(t.Context(), true, stock)
			if err != nil {
				t.Fatal(err)
			}
			return snap.Shown.Stock
		}
		said := see(a, queueing.Stock{Left: 7, State: "open", Tail: "told by a"})
		for range 3 { // turns
			was := said
			for limit := time.Now().Add(10 * time.Second); said == was; {
				if time.Now().After(limit) {
					t.Fatalf("for 10 s %+v is published", said)
				}
				s.wait(20 * time.Millisecond)
				said = see(b, queueing.Stock{Left: was.Left + 1, State: "open"})
			}
			if want := (queueing.Stock{Left: was.Left + 1, State: "open", Tail: "told by a"}); said != want {
				t.Fatalf("published %+v, want %+v", said, want)
			}
		}
	})
}

// A slow edge, whose look at the stock is older than what is published, does not
// publish it; nor does it hold up what is looked at later, and a clock that is put back
// does not hold it up either.
func TestSlowEdgePublishesNothingOfThePast(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	sale := saleAt(v.now, time.Hour, 100, 10)
	fast, slow := queueing.NewLine(v.rdb, sale), queueing.NewLine(v.rdb, sale)
	for _, step := range []struct {
		what string
		edge *queueing.Line
		wait time.Duration
		ago  time.Duration // of the look
		left int
		want int
	}{
		{"the first", fast, 0, 0, 53, 53},
		{"a later look", fast, 300 * time.Millisecond, 100 * time.Millisecond, 52, 52},
		{"a look of before", slow, 300 * time.Millisecond, 700 * time.Millisecond, 53, 52},
		{"a slow one, but later", slow, time.Second, 700 * time.Millisecond, 51, 51},
		{"after the clock was put back", slow, -20 * time.Second, 700 * time.Millisecond, 50, 50},
	} {
		v.advance(step.wait)
		tail := fmt.Sprint("tail of ", step.left)
		snap, err := step.edge.Tick(t.Context(), true, queueing.Stock{Left: step.left, State: "open", Tail: tail, Looked: v.now.Add(-step.ago)})
		if err != nil {
			t.Fatal(err)
		}
		want := queueing.Stock{Left: step.want, State: "open", Tail: fmt.Sprint("tail of ", step.want)}
		if snap.Shown.Stock != want {
			t.Errorf("%s: published %+v, want %+v", step.what, snap.Shown.Stock, want)
		}
		if snap.Stock.Left != step.left {
			t.Errorf("%s: the edge itself sees %d left, want %d", step.what, snap.Stock.Left, step.left)
		}
	}
}

// A copy of Redis from before the passes were given has a bucket that still holds
// their tokens; the edges remember that they are spent. One that has forgotten
// all starts with an empty bucket.
func TestOlderBucketGivesNothingTwice(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const burst = 20
		sale := saleAt(s.now(), 0, 1, burst) // refills one token a second
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 10*burst)
		tick(t, a)
		line := "wr:{line:" + sale.Key + "}"
		for field, value := range map[string]any{"tokens": burst, "head": 10 * burst} {
			if err := s.rdb.HSet(t.Context(), line, field, value).Err(); err != nil {
				t.Fatal(err)
			}
		}
		older, err := s.rdb.HGetAll(t.Context(), line).Result()
		if err != nil {
			t.Fatal(err)
		}
		claimAll := func(l *queueing.Line, from uint64) (given int) {
			for place := from; place < from+burst; place++ {
				if _, err := l.Claim(t.Context(), at(place)); err == nil {
					given++
				}
			}
			return given
		}
		if given := claimAll(a, 0); given < burst {
			t.Fatalf("%d passes from a full bucket, want %d", given, burst)
		}
		tick(t, b) // has heard of them too
		if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if err := s.rdb.HSet(t.Context(), line, older).Err(); err != nil {
			t.Fatal(err)
		}
		if given := claimAll(b, burst) + claimAll(a, 2*burst); given > burst/4 { // what a slow test refills
			t.Errorf("%d more passes from the older copy", given)
		}
	})
}

// A reply that is lost on the way costs no second token.
func TestClaimSurvivesALostReply(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		l := queueing.NewLine(s.rdb, saleAt(s.now(), 0, 10, 5))
		enter(t, l, 5)
		tick(t, l)
		s.wait(500 * time.Millisecond)
		tick(t, l)
		s.rdb.AddHook(&loseOne{})
		got, err := l.Claim(t.Context(), at(0))
		if err != nil || !got.Again {
			t.Errorf("claim: %+v, %v, want the pass whose reply was lost", got, err)
		}
		if snap := tick(t, l); snap.Passes != 1 {
			t.Errorf("%d passes, want 1", snap.Passes)
		}
	})
}

// loseOne carries out one script and loses its reply.
type loseOne struct{ done bool }

func (h *loseOne) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *loseOne) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h *loseOne) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if h.done || err != nil {
			return err
		}
		h.done = true
		cmd.SetErr(io.EOF)
		return io.EOF
	}
}

func TestScriptsSurviveAnEmptyCache(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		l := queueing.NewLine(s.rdb, saleAt(s.now(), time.Hour, 100, 10))
		for range 3 {
			enter(t, l, 1)
			if err := s.rdb.ScriptFlush(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if snap := tick(t, l); snap.Entered != 3 {
			t.Errorf("entered %d, want 3", snap.Entered)
		}
	})
}

func TestLineReportsAMissingRedis(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, saleAt(v.now, 0, 100, 10))
	tick(t, l)
	v.redis.Close()
	if _, err := l.Enter(t.Context(), queueing.Entry{}); err == nil {
		t.Error("Enter answered without Redis")
	}
	if _, err := l.Tick(t.Context(), true, queueing.Stock{}); err == nil {
		t.Error("Tick answered without Redis")
	}
	if _, err := l.Claim(t.Context(), at(0)); err == nil {
		t.Error("Claim answered without Redis")
	}
	if err := v.redis.Restart(); err != nil {
		t.Fatal(err)
	}
	enter(t, l, 1)
}
