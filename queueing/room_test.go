package queueing_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// roomOf is a room with a bucket of burst tokens.
func roomOf(perSecond, burst, most int) *configs.Room {
	return &configs.Room{
		ID: "shop", Key: "room:shop", Path: "/", Admit: configs.Rate{Count: perSecond, Per: time.Second}, Burst: burst,
		MaxActive: most, PassLife: 20 * time.Minute,
	}
}

func arrive(t testing.TB, r *queueing.Room) queueing.Arrival {
	t.Helper()
	a, err := r.Arrive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func tickRoom(t testing.TB, r *queueing.Room) *queueing.Snapshot {
	t.Helper()
	s, err := r.Tick(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill lets the bucket fill up.
func fill(t testing.TB, s store, r *queueing.Room) {
	t.Helper()
	tickRoom(t, r)
	s.wait(1100 * time.Millisecond)
	tickRoom(t, r)
}

// Below the level nobody waits; above it everyone who comes stands behind those
// who do, and the line goes away by itself.
func TestRoomArmsAndDisarms(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const burst = 5
		r := queueing.NewRoom(s.rdb, roomOf(20, burst, 0))
		fill(t, s, r)
		var waiting []queueing.Arrival
		for i := range uint64(2 * burst) {
			a := arrive(t, r)
			if a.Number != i {
				t.Fatalf("number %d, want %d", a.Number, i)
			}
			if !a.Admitted {
				waiting = append(waiting, a)
			} else if len(waiting) > 0 {
				t.Errorf("%d overtook %v", a.Number, waiting)
			} else if life := a.Claim.Expires.Sub(a.Claim.Admitted); life != 20*time.Minute {
				t.Errorf("a pass of %v", life)
			}
		}
		if len(waiting) == 0 {
			t.Fatal("nobody waits")
		}
		if snap := tickRoom(t, r); !snap.Armed || snap.State != queueing.StateOpen || !snap.Drawn || snap.DrawnCount != 0 {
			t.Errorf("the picture of a line: %+v", snap)
		}
		for range 100 {
			s.wait(50 * time.Millisecond)
			snap := tickRoom(t, r)
			for len(waiting) > 0 && waiting[0].Number < snap.Head {
				_, err := r.Claim(t.Context(), waiting[0].Number, waiting[0].ID)
				if _, wait := errors.AsType[*queueing.WaitError](err); wait {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				waiting = waiting[1:]
			}
			if !snap.Armed {
				break
			}
		}
		if len(waiting) > 0 || tickRoom(t, r).Armed {
			t.Errorf("%v wait, armed %v", waiting, tickRoom(t, r).Armed)
		}
		if a := arrive(t, r); !a.Admitted {
			t.Error("a newcomer waits in a room that is not armed")
		}
	})
}

// What a room admits on arrival by three edges at once has seats, and numbers of
// its own.
func TestRoomBoundHoldsUnderConcurrency(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const most, callers = 20, 90
		edges := roomEdges(s, roomOf(10_000, 10_000, most))
		fill(t, s, edges[0])
		seen := map[uint64]bool{}
		for a := range atOnce(callers, func(i uint64) queueing.Arrival {
			a, err := edges[i%3].Arrive(t.Context())
			if err != nil {
				t.Error(err)
			}
			return a
		}) {
			if seen[a.Number] || a.Number >= callers {
				t.Errorf("number %d twice, or beyond %d", a.Number, callers)
			}
			seen[a.Number] = true
			if a.Admitted != (a.Number < most) {
				t.Errorf("number %d admitted %v, with %d seats", a.Number, a.Admitted, most)
			}
		}
		for i := range 10 {
			s.wait(20 * time.Millisecond)
			if snap := tickRoom(t, edges[i%3]); snap.Active != most || !snap.Armed || snap.Head != most {
				t.Fatalf("%d inside, armed %v, head %d", snap.Active, snap.Armed, snap.Head)
			}
		}
	})
}

// Of a full room two leave, one of them twice: as many are called, and not one
// more has a seat, however many claim at once.
func TestRoomCallsForFreeSeats(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const most, waiting = 20, 30
		edges := roomEdges(s, roomOf(10_000, 10_000, most))
		fill(t, s, edges[0])
		var all []queueing.Arrival
		for range most + waiting {
			all = append(all, arrive(t, edges[1]))
		}
		for _, place := range []uint64{3, 4, 3} {
			edges[place%3].Release(all[place].ID)
		}
		tickRoom(t, edges[1])
		s.wait(20 * time.Millisecond)
		if snap := tickRoom(t, edges[0]); snap.Active != most-2 || snap.Head != most+2 {
			t.Errorf("%d inside, head %d", snap.Active, snap.Head)
		}
		got := 0
		for err := range atOnce(waiting, func(i uint64) error {
			_, err := edges[i%3].Claim(t.Context(), most+i, all[most+i].ID)
			return err
		}) {
			if err == nil {
				got++
			} else if !errors.Is(err, queueing.ErrNotCalled) {
				t.Error(err)
			}
		}
		if snap := tickRoom(t, edges[2]); got != 2 || snap.Active != most {
			t.Errorf("%d passes for two seats, %d inside", got, snap.Active)
		}
	})
}

// roomEdges are three edges of one room.
func roomEdges(s store, room *configs.Room) []*queueing.Room {
	return []*queueing.Room{queueing.NewRoom(s.rdb, room), queueing.NewRoom(s.rdb, room), queueing.NewRoom(s.rdb, room)}
}

// atOnce does something n times at once and gives what came of it.
func atOnce[A any](n int, do func(i uint64) A) <-chan A {
	answers := make(chan A, n)
	var wg sync.WaitGroup
	for i := range uint64(n) {
		wg.Go(func() { answers <- do(i) })
	}
	wg.Wait()
	close(answers)
	return answers
}

// A lower bound lets nobody new in until enough have left.
func TestRoomBoundIsLowered(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		r := queueing.NewRoom(s.rdb, roomOf(100, 100, 10))
		fill(t, s, r)
		var inside []queueing.Arrival
		for range 6 {
			inside = append(inside, arrive(t, r))
		}
		r = queueing.NewRoom(s.rdb, roomOf(100, 100, 5))
		if a := arrive(t, r); a.Admitted {
			t.Error("a seventh is admitted, at most 5 may be inside")
		}
		for _, one := range inside[:2] {
			s.wait(20 * time.Millisecond)
			if snap := tickRoom(t, r); snap.Head != 6 {
				t.Errorf("head %d with %d inside", snap.Head, snap.Active)
			}
			r.Release(one.ID)
		}
		s.wait(20 * time.Millisecond)
		if snap := tickRoom(t, r); snap.Head != 7 || snap.Active != 4 {
			t.Errorf("head %d, %d inside", snap.Head, snap.Active)
		}
	})
}

// What Redis forgets the edges put back: numbers and the line, pauses, and the
// seats of whoever makes a request. The numbers in between that nobody has
// take no time, however many they are.
func TestRoomIsRestored(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const beyond = 1 << 40 // where no bitmap goes
		room := roomOf(20, 20, 3)
		if err := s.rdb.HSet(t.Context(), "wr:{line:"+room.Key+"}", "entered", beyond, "head", beyond).Err(); err != nil {
			t.Fatal(err)
		}
		a, b := queueing.NewRoom(s.rdb, room), queueing.NewRoom(s.rdb, room)
		fill(t, s, a)
		var inside []queueing.Arrival
		for range 3 {
			inside = append(inside, arrive(t, a))
		}
		waiting := arrive(t, a)
		if waiting.Admitted || waiting.Number != beyond+3 {
			t.Fatalf("%+v", waiting)
		}
		before := tickRoom(t, a)
		if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		tickRoom(t, b) // knows nothing
		for _, one := range inside {
			a.Renew(one.ID, one.Claim.Expires)
		}
		after := tickRoom(t, a)
		if !after.Armed || after.Active != 3 || after.Head != before.Head || after.Line != before.Line {
			t.Errorf("%+v, want the line as it was", after)
		}
		s.wait(pause)
		newcomer := arrive(t, b)
		if newcomer.Admitted || newcomer.Number <= waiting.Number {
			t.Errorf("%+v after %d", newcomer, waiting.Number)
		}
		for i, next := range []queueing.Arrival{waiting, newcomer} {
			b.Release(inside[i].ID)
			want := next.Number
			_, err := b.Claim(t.Context(), want, next.ID)
			for tries := 0; err != nil && tries < 60; tries++ {
				s.wait(50 * time.Millisecond)
				if tickRoom(t, b).Head <= want {
					continue
				}
				_, err = b.Claim(t.Context(), want, next.ID)
			}
			if err != nil {
				t.Errorf("place %d: %v", want, err)
			}
		}
		if snap := tickRoom(t, a); snap.Active != 3 {
			t.Errorf("%d inside", snap.Active)
		}
	})
}

// In a paused room everyone who comes waits; afterwards they come in first.
func TestRoomPauses(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		r := queueing.NewRoom(s.rdb, roomOf(20, 20, 0))
		fill(t, s, r)
		if err := r.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		a := arrive(t, r)
		_, err := r.Claim(t.Context(), a.Number, a.ID)
		if a.Admitted || !errors.Is(err, queueing.ErrPaused) {
			t.Errorf("%+v, claim %v, want to wait", a, err)
		}
		s.wait(50 * time.Millisecond)
		if snap := tickRoom(t, r); snap.State != queueing.StatePaused || snap.Head != a.Number {
			t.Errorf("state %s, head %d", snap.State, snap.Head)
		}
		if err := r.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		b := arrive(t, r)
		if b.Admitted {
			t.Error("a newcomer overtakes")
		}
		s.wait(50 * time.Millisecond)
		tickRoom(t, r)
		for _, one := range []queueing.Arrival{a, b} {
			if _, err := r.Claim(t.Context(), one.Number, one.ID); err != nil {
				t.Errorf("place %d: %v", one.Number, err)
			}
		}
	})
}

// An operator's rate has a room's burst.
func TestRoomRateIsSet(t *testing.T) {
	t.Parallel()
	for rate, burst := range map[int]int{30: 30, 1: 3} {
		v := newVirtual(t)
		r := queueing.NewRoom(v.rdb, roomOf(1, 1, 0))
		if err := r.SetRate(t.Context(), configs.Rate{Count: rate, Per: time.Second}); err != nil {
			t.Fatal(err)
		}
		tickRoom(t, r)
		v.advance(time.Minute)
		if snap := tickRoom(t, r); snap.Rate != float64(rate) {
			t.Errorf("rate %v, want %d", snap.Rate, rate)
		}
		admitted := 0
		for range 40 {
			if arrive(t, r).Admitted {
				admitted++
			}
		}
		if admitted != burst {
			t.Errorf("at %d/s %d of 40 admitted at once, want %d", rate, admitted, burst)
		}
	}
}

func TestRoomRefusesAReplyThatIsNotWhole(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	r := queueing.NewRoom(v.rdb, roomOf(1, 1, 1))
	answer := &answers{}
	v.rdb.AddHook(answer)
	for name, reply := range map[string][]any{"empty": {}, "another word": {"fine"}, "too many": {"fine", "1", "2", "0", "0"}} {
		answer.reply = reply
		if _, err := r.Arrive(t.Context()); err == nil {
			t.Errorf("Arrive read the %s reply %v", name, reply)
		}
		if _, err := r.Tick(t.Context()); err == nil {
			t.Errorf("Tick read the %s reply %v", name, reply)
		}
		if _, err := r.Claim(t.Context(), 0, idOf(0)); err == nil {
			t.Errorf("Claim read the %s reply %v", name, reply)
		}
	}
}
