package queueing_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// An edge may not have heard of the numbers that others gave before Redis forgot.
// Before it is given new ones, every edge that ticks has said what it knows.
func TestNumbersAreGivenOnceAfterRedisForgot(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		var edges []*queueing.Line
		for range 3 {
			edges = append(edges, queueing.NewLine(s.rdb, sale))
		}
		given := enter(t, edges[1], 30)
		tick(t, edges[0])
		given = append(given, enter(t, edges[1], 40)...)
		given = append(given, enter(t, edges[2], 50)...)
		forget(t, s)
		ticking := whileTicking(t, s, func() { tick(t, edges[1]); tick(t, edges[2]) })
		numbers := atOnce(40, func(i uint64) uint64 { return enter(t, edges[i%3], 1)[0] })
		ticking()
		for n := range numbers {
			given = append(given, n)
		}
		slices.Sort(given)
		if unique := slices.Compact(slices.Clone(given)); len(unique) != len(given) {
			t.Errorf("%d numbers for %d: %v", len(unique), len(given), given)
		}
		if later := enter(t, edges[0], 3); later[0] <= given[len(given)-1] {
			t.Errorf("number %d after %d", later[0], given[len(given)-1])
		}
	})
}

// So it is in a room, and the gap that nobody stands in takes no time.
func TestRoomNumbersAreGivenOnceAfterRedisForgot(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		room := roomOf(20, 5, 0)
		edges := roomEdges(s, room)
		for _, e := range edges {
			tickRoom(t, e)
		}
		seen := map[uint64]bool{}
		note := func(a queueing.Arrival) {
			if seen[a.Number] {
				t.Errorf("number %d twice", a.Number)
			}
			seen[a.Number] = true
		}
		for i := range 30 {
			note(arrive(t, edges[i/10]))
		}
		forget(t, s)
		ticking := whileTicking(t, s, func() { tickRoom(t, edges[1]); tickRoom(t, edges[2]) })
		for a := range atOnce(20, func(i uint64) queueing.Arrival { return arrive(t, edges[i%3]) }) {
			note(a)
		}
		ticking()
		head := uint64(0)
		for range 200 {
			s.wait(50 * time.Millisecond)
			snap := tickRoom(t, edges[0])
			if head = snap.Head; head == snap.Entered {
				return
			}
		}
		t.Errorf("head %d after ten seconds, for 50 who came at 20/s", head)
	})
}

// whileTicking lets edges tick, and a clock that stands move on, until it is told
// to end.
func whileTicking(t *testing.T, s store, tick func()) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			tick()
			s.wait(20 * time.Millisecond)
			time.Sleep(time.Millisecond)
		}
	}()
	return func() { cancel(); <-done }
}

// Who wants a number meanwhile waits no longer than a call may take, and as long
// as they want.
func TestNumbersAreWaitedForNotForEver(t *testing.T) {
	t.Parallel()
	v := newVirtual(t) // whose clock stands
	l := queueing.NewLine(v.rdb, saleAt(v.now, time.Hour, 100, 10))
	enter(t, l, 1)
	if err := v.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := l.Enter(t.Context(), queueing.Entry{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want to be told that it takes too long", err)
	}
	if took := time.Since(start); took < 300*time.Millisecond || took > queueing.CallTimeout+4*time.Second {
		t.Errorf("it took %v", took)
	}
	v.advance(pause)
	enter(t, l, 1)
}

// A line, and a room, under a changed configuration remember what they did before.
func TestAgainRemembers(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		line := queueing.NewLine(s.rdb, sale)
		enter(t, line, 40)
		before := tick(t, line)
		forget(t, s)
		changed := *sale
		changed.Burst = 20
		line = line.Again(&changed)
		if after := tick(t, line); after.Commitment != before.Commitment || after.Line != before.Line || after.Entered < 40 {
			t.Errorf("line %s, %d entered; want %s, and 40 at least", after.Line, after.Entered, before.Line)
		}
		next := changed
		next.Key = "golden-toy@next"
		if other := tick(t, line.Again(&next)); other.Entered != 0 || other.Commitment == before.Commitment {
			t.Errorf("another run of the sale has %d entered and the commitment of this one", other.Entered)
		}

		cfg := roomOf(100, 100, 10)
		room := queueing.NewRoom(s.rdb, cfg)
		fill(t, s, room)
		one, two, three := arrive(t, room), arrive(t, room), arrive(t, room)
		room.Renew(one.ID, one.Claim.Expires) // told
		was := tickRoom(t, room)
		room.Renew(two.ID, two.Claim.Expires)
		room.Release(three.ID)
		forget(t, s)
		more := *cfg
		more.MaxActive = 20
		room = room.Again(&more)
		tickRoom(t, room)
		s.wait(time.Millisecond)
		if now := tickRoom(t, room); now.Line != was.Line || now.Entered < 3 || now.Active != 2 {
			t.Errorf("line %s, %d entered, %d inside; want %s, three and two", now.Line, now.Entered, now.Active, was.Line)
		}
		if !room.Left(three.ID) || room.Left(two.ID) {
			t.Error("who has left is not known")
		}
	})
}
