package queueing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// waiter arms a room whose bucket is full, and gives somebody who waits in it and
// then is called.
func waiter(t testing.TB, s store, r *queueing.Room) queueing.Arrival {
	t.Helper()
	if err := r.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := arrive(t, r)
	if err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(50 * time.Millisecond)
	if snap := tickRoom(t, r); a.Admitted || snap.Head <= a.Number {
		t.Fatalf("%+v, head %d, want one who waits and is called", a, snap.Head)
	}
	return a
}

func claim(t testing.TB, r *queueing.Room, a queueing.Arrival) queueing.Claim {
	t.Helper()
	c, err := r.Claim(t.Context(), a.Number, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A ticket that waited brings in one pass, with a bound and without: asking again
// while it lives takes no token and no seat.
func TestRoomTicketBringsInOnePass(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"with a bound": 10, "without": 0} {
		eachStore(t, func(t *testing.T, s store) {
			edges := roomEdges(s, roomOf(10, 10, most))
			r := edges[0]
			fill(t, s, r)
			a := waiter(t, s, r)
			first := claim(t, r, a)
			if first.Again || first.Expires.Sub(first.Admitted) != 20*time.Minute {
				t.Errorf("%s: the pass %+v", name, first)
			}
			for i := range 25 {
				again := claim(t, edges[i%3], a)
				if !again.Again || !again.Expires.Equal(first.Expires) || !again.Admitted.Equal(first.Admitted) {
					t.Errorf("%s: %+v, want %+v again", name, again, first)
				}
			}
			if snap := tickRoom(t, r); snap.Passes != 1 || snap.Active > 1 {
				t.Errorf("%s: %d passes, %d inside", name, snap.Passes, snap.Active)
			}
			if _, err := r.Claim(t.Context(), a.Number+100, a.ID); !errors.Is(err, queueing.ErrNotCalled) {
				t.Errorf("%s: a place that was not called: %v", name, err)
			}
		})
	}
}

// With a bound it is given again as it was last renewed; once it is over the turn,
// which is kept, costs a token and a seat anew.
func TestRoomPassIsRenewed(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	s := store{rdb: v.rdb, wait: v.advance}
	r := queueing.NewRoom(v.rdb, roomOf(10, 10, 10))
	fill(t, s, r)
	a := waiter(t, s, r)
	first := claim(t, r, a)
	v.advance(10 * time.Minute)
	later := v.now.Add(20 * time.Minute)
	r.Renew(a.ID, later)
	r.Renew(a.ID, later.Add(-time.Second)) // overtaken by a longer one
	tickRoom(t, r)
	v.advance(11 * time.Minute)
	if again := claim(t, r, a); !again.Again || !again.Expires.Equal(later) {
		t.Errorf("%+v, want the pass until %v, after %v", again, later, first.Expires)
	}
	v.advance(10 * time.Minute)
	tickRoom(t, r)
	if c := claim(t, r, a); c.Again || !c.Expires.Equal(v.now.Add(20*time.Minute)) {
		t.Errorf("%+v, want another pass", c)
	}
	if snap := tickRoom(t, r); snap.Passes != 2 || snap.Active != 1 {
		t.Errorf("%d passes, %d inside", snap.Passes, snap.Active)
	}
}

// A seat lasts a minute until its pass was shown, then as long as the pass and a
// little longer.
func TestRoomSeatsEndAfterTheirPasses(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	r := queueing.NewRoom(v.rdb, roomOf(10, 10, 3))
	tickRoom(t, r)
	v.advance(2 * time.Second)
	fixed, sliding := arrive(t, r), arrive(t, r)
	arrive(t, r) // keeps no cookies
	r.Renew(fixed.ID, fixed.Claim.Expires)
	r.Renew(sliding.ID, sliding.Claim.Expires)
	for _, c := range []struct {
		after  time.Duration
		active uint64
	}{
		{59 * time.Second, 3}, {2 * time.Second, 2}, {9 * time.Minute, 2},
		{10*time.Minute - 2*time.Second, 2}, {2 * time.Second, 2}, {10 * time.Second, 1}, {9 * time.Minute, 1}, {2 * time.Minute, 0},
	} {
		v.advance(c.after)
		if c.after == 9*time.Minute && c.active == 2 {
			r.Renew(sliding.ID, v.now.Add(20*time.Minute))
		}
		if snap := tickRoom(t, r); snap.Active != c.active {
			t.Errorf("at %v %d inside, want %d", v.now, snap.Active, c.active)
		}
	}

	// Where passes live shorter than a minute so do the seats of those not shown.
	short := roomOf(10, 10, 3)
	short.Key, short.PassLife = "room:short", 10*time.Second
	r = queueing.NewRoom(v.rdb, short)
	tickRoom(t, r)
	v.advance(2 * time.Second)
	arrive(t, r)
	v.advance(11 * time.Second)
	if snap := tickRoom(t, r); snap.Active != 0 {
		t.Errorf("%d inside", snap.Active)
	}
}

// A pass that was claimed and not shown has no seat after a minute; it is given
// again where there is one.
func TestRoomUnseenPassTakesASeatAgain(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	s := store{rdb: v.rdb, wait: v.advance}
	r := queueing.NewRoom(v.rdb, roomOf(10, 10, 1))
	fill(t, s, r)
	a := waiter(t, s, r)
	claim(t, r, a)
	v.advance(61 * time.Second)
	for range 5 {
		tickRoom(t, r)
		v.advance(time.Second)
	}
	if !arrive(t, r).Admitted {
		t.Fatal("the seat is not free")
	}
	_, err := r.Claim(t.Context(), a.Number, a.ID)
	if _, wait := errors.AsType[*queueing.WaitError](err); !wait {
		t.Errorf("%v, want to wait: one may be inside, and is", err)
	}
	v.advance(61 * time.Second)
	tickRoom(t, r)
	if c := claim(t, r, a); !c.Again || tickRoom(t, r).Active != 1 {
		t.Errorf("%+v, want the pass again and its seat", c)
	}
}

// After a restart, in which another line begins, those who were inside keep their
// seats beside the new ones, who have the same numbers.
func TestRoomSeatsOutliveTheLine(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const most = 10
		room := roomOf(100, 100, most)
		old := queueing.NewRoom(s.rdb, room)
		fill(t, s, old)
		var inside []queueing.Arrival
		for range most {
			inside = append(inside, arrive(t, old))
		}
		forget(t, s)
		r := queueing.NewRoom(s.rdb, room)
		fill(t, s, r)
		for range most / 2 {
			if !arrive(t, r).Admitted {
				t.Fatal("seats are known that Redis forgot")
			}
		}
		for _, one := range inside {
			r.Renew(one.ID, one.Claim.Expires)
		}
		if snap := tickRoom(t, r); snap.Active != most+most/2 {
			t.Errorf("%d inside, want %d", snap.Active, most+most/2)
		}
		waits := arrive(t, r)
		for _, one := range inside[:most/2] {
			r.Release(one.ID)
		}
		if snap := tickRoom(t, r); snap.Active != most || waits.Admitted {
			t.Errorf("%d inside, the next admitted %v", snap.Active, waits.Admitted)
		}
		if snap := tickRoom(t, r); snap.Head > waits.Number {
			t.Error("the next is called, there is no seat")
		}
	})
}

// Who has left is known on every edge after a tick: a pass of theirs takes no seat
// and their ticket brings in no other, until a pass could live no longer.
func TestRoomKnowsWhoHasLeft(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	s := store{rdb: v.rdb, wait: v.advance}
	edges := roomEdges(s, roomOf(100, 100, 1))
	a, b := edges[0], edges[1]
	fill(t, s, a)
	one := waiter(t, s, a)
	c := claim(t, a, one)
	a.Renew(one.ID, c.Expires)
	b.Renew(one.ID, c.Expires)
	tickRoom(t, a)
	tickRoom(t, b)
	b.Renew(one.ID, c.Expires.Add(time.Minute)) // on its way
	a.Release(one.ID)
	if !a.Left(one.ID) || b.Left(one.ID) {
		t.Error("known at the edge that did not release, or not at the one that did")
	}
	tickRoom(t, a)
	for range 3 {
		if snap := tickRoom(t, b); snap.Active != 0 || !b.Left(one.ID) {
			t.Fatalf("%d inside, left %v", snap.Active, b.Left(one.ID))
		}
		b.Renew(one.ID, v.now.Add(20*time.Minute))
		a.Renew(one.ID, v.now.Add(20*time.Minute))
		v.advance(time.Minute)
		tickRoom(t, a)
	}
	if _, err := b.Claim(t.Context(), one.Number, one.ID); !errors.Is(err, queueing.ErrLeft) {
		t.Errorf("claim by one who has left: %v", err)
	}
	if two := arrive(t, b); !two.Admitted {
		t.Error("the seat is not free")
	}
	fresh := edges[2]
	if tickRoom(t, fresh); !fresh.Left(one.ID) {
		t.Error("an edge that comes later does not know")
	}
	v.advance(21 * time.Minute)
	tickRoom(t, fresh)
	if c := claim(t, fresh, one); c.Again {
		t.Errorf("%+v, the turn is not kept", c)
	}
}

// Thousands who leave at once cost a few ticks, each of them little, and every edge
// hears of all.
func TestRoomReleasesMany(t *testing.T) {
	t.Parallel()
	s := store{rdb: client(t, testserver.Redis(t)), wait: time.Sleep}
	const many = 2500
	edges := roomEdges(s, roomOf(many, many, many))
	fill(t, s, edges[0])
	var inside []queueing.Arrival
	for a := range atOnce(many, func(i uint64) queueing.Arrival { return arrive(t, edges[0]) }) {
		inside = append(inside, a)
		edges[len(inside)%3].Renew(a.ID, a.Claim.Expires)
	}
	for n := range 6 {
		tickRoom(t, edges[n%3])
	}
	if snap := tickRoom(t, edges[0]); snap.Active != many {
		t.Fatalf("%d inside, want %d", snap.Active, many)
	}
	for _, one := range inside {
		edges[0].Release(one.ID)
		edges[0].Release(one.ID)
	}
	for _, want := range []uint64{1500, 500, 0} {
		if snap := tickRoom(t, edges[0]); snap.Active != want {
			t.Errorf("%d inside, want %d", snap.Active, want)
		}
	}
	for range 3 {
		tickRoom(t, edges[1])
	}
	for _, one := range inside {
		if !edges[0].Left(one.ID) || !edges[1].Left(one.ID) {
			t.Fatal("one who has left is not known")
		}
	}
}

// Redis is told what is news, once; of what it forgot all of it anew, without a
// request of those who are inside.
func TestRoomTellsWhatIsNews(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	s := store{rdb: v.rdb, wait: v.advance}
	edges := roomEdges(s, roomOf(2000, 2000, 2000))
	r := edges[0]
	fill(t, s, r)
	said := &lengths{}
	v.rdb.AddHook(said)
	tickRoom(t, r)
	nothing := said.last
	told := func() int { tickRoom(t, r); return (said.last - nothing) / 2 }
	var inside []queueing.Arrival
	for range 100 {
		inside = append(inside, arrive(t, r))
	}
	renew := func(later time.Duration) {
		for _, one := range inside {
			r.Renew(one.ID, one.Claim.Expires.Add(later))
		}
	}
	for _, c := range []struct {
		later time.Duration
		want  int
	}{{0, 100}, {0, 0}, {time.Second, 100}, {0, 0}, {time.Second, 0}} {
		renew(c.later)
		if got := told(); got != c.want {
			t.Errorf("later by %v: %d told, want %d", c.later, got, c.want)
		}
	}

	// Another edge releases some: that is no loss.
	for _, one := range inside[:10] {
		edges[1].Release(one.ID)
	}
	tickRoom(t, edges[1])
	for range 3 {
		v.advance(10 * time.Second)
		if got := told(); got != 0 {
			t.Errorf("%d told after others left", got)
		}
	}

	if err := v.rdb.Del(t.Context(), "wr:{line:room:shop}:seats").Err(); err != nil {
		t.Fatal(err)
	}
	told()
	if got := told(); got != 90 {
		t.Errorf("%d told after a loss, want 90", got)
	}
	if snap := tickRoom(t, r); snap.Active != 90 {
		t.Errorf("%d inside after a loss, want 90", snap.Active)
	}

	// Seats that end with their passes are no loss either.
	v.advance(30 * time.Minute)
	for range 3 {
		if got := told(); got != 0 {
			t.Errorf("%d told after all passes ended", got)
		}
	}
}

// lengths notes how many arguments the last command had.
type lengths struct{ last int }

func (*lengths) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*lengths) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (l *lengths) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		l.last = len(cmd.Args())
		return next(ctx, cmd)
	}
}

// A tick that fails loses nothing of what it was to tell.
func TestRoomTellsAgainWhatFailed(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	s := store{rdb: v.rdb, wait: v.advance}
	r := queueing.NewRoom(v.rdb, roomOf(10, 10, 10))
	fill(t, s, r)
	stays, leaves := arrive(t, r), arrive(t, r)
	r.Renew(stays.ID, stays.Claim.Expires)
	r.Renew(leaves.ID, leaves.Claim.Expires)
	r.Release(leaves.ID)
	v.redis.Close()
	if _, err := r.Tick(t.Context()); err == nil {
		t.Fatal("Tick answered without Redis")
	}
	if err := v.redis.Restart(); err != nil {
		t.Fatal(err)
	}
	if snap := tickRoom(t, r); snap.Active != 1 {
		t.Errorf("%d inside, one was released", snap.Active)
	}
	v.advance(2 * time.Minute)
	if snap := tickRoom(t, r); snap.Active != 1 {
		t.Errorf("%d inside, one was renewed", snap.Active)
	}
}

// When Redis's clock goes an hour back, seats and those who left are soon right by
// the new one.
func TestRoomSeatsSurviveAClockSetBack(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	s := store{rdb: v.rdb, wait: v.advance}
	const most = 5
	edges := roomEdges(s, roomOf(100, 100, most))
	r := edges[0]
	fill(t, s, r)
	gone := arrive(t, r)
	r.Release(gone.ID)
	tickRoom(t, r)
	tickRoom(t, edges[1])
	var inside []queueing.Arrival
	for range most {
		one := arrive(t, r)
		r.Renew(one.ID, one.Claim.Expires)
		inside = append(inside, one)
	}
	if snap := tickRoom(t, r); snap.Active != most {
		t.Fatalf("%d inside", snap.Active)
	}
	v.advance(-time.Hour)
	if snap := tickRoom(t, r); snap.Active != most {
		t.Errorf("%d inside", snap.Active)
	}
	r.Release(inside[0].ID)
	tickRoom(t, r)
	if tickRoom(t, edges[1]); !edges[1].Left(inside[0].ID) {
		t.Error("one who leaves after the step is not known")
	}
	v.advance(20*time.Minute + 6*time.Second)
	fresh := queueing.NewRoom(v.rdb, roomOf(100, 100, most))
	if snap := tickRoom(t, fresh); snap.Active != 0 {
		t.Errorf("%d inside, long after their passes' life", snap.Active)
	}
	if fresh.Left(gone.ID) {
		t.Error("one who left is known, long after a pass's life")
	}
}
