package queueing_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// shoppers come to a room in virtual time, on all edges: who is admitted stays
// for a while, who is not waits until called, then comes after a moment, or
// never.
type shoppers struct {
	*virtual
	t      *testing.T
	rng    *rand.Rand
	room   *configs.Room
	edges  []*queueing.Room
	noShow float64
	stay   time.Duration // until they are released; 0: until their pass ends

	agenda  agenda
	called  uint64
	waiting map[uint64][8]byte // not called yet
	inside  map[[8]byte]time.Time
	most    int // inside at once
	passes  []time.Time
	direct  int           // passes given on arrival
	denied  int           // claims
	longest time.Duration // from being called to the pass
	armed   bool
	last    *queueing.Snapshot
}

func newShoppers(t *testing.T, room *configs.Room, edges int, noShow float64) *shoppers {
	t.Helper()
	s := &shoppers{
		virtual: newVirtual(t), t: t, rng: rand.New(rand.NewPCG(3, 4)), room: room, noShow: noShow,
		waiting: map[uint64][8]byte{}, inside: map[[8]byte]time.Time{},
	}
	for range edges {
		s.edges = append(s.edges, queueing.NewRoom(s.rdb, room).Hasten())
	}
	return s
}

func (s *shoppers) edge() *queueing.Room { return s.edges[s.rng.IntN(len(s.edges))] }

func (s *shoppers) in(d time.Duration, run func()) {
	s.agenda.add(s.now.Add(d), run)
}

func (s *shoppers) about(least, spread time.Duration) time.Duration {
	return least + time.Duration(s.rng.Int64N(int64(spread)))
}

// run lets so many a second come for a while, some edge ticking each step.
func (s *shoppers) run(d, step time.Duration, perSecond float64) {
	s.t.Helper()
	s.come(s.now.Add(d), perSecond)
	for end, i := s.now.Add(d), 0; s.now.Before(end); i++ {
		next := s.now.Add(step)
		for e, due := s.agenda.next(next); due; e, due = s.agenda.next(next) {
			if e.at.After(s.now) {
				s.at(e.at)
			}
			e.run()
		}
		s.at(next)
		s.tick(s.edges[i%len(s.edges)])
	}
}

func (s *shoppers) come(until time.Time, perSecond float64) {
	if perSecond == 0 {
		return
	}
	gap := time.Duration(s.rng.ExpFloat64() / perSecond * float64(time.Second))
	if s.now.Add(gap).After(until) {
		return
	}
	s.in(gap, func() {
		s.arrive()
		s.come(until, perSecond)
	})
}

func (s *shoppers) tick(r *queueing.Room) {
	s.t.Helper()
	snap := tickRoom(s.t, r)
	if snap.Head < s.called || snap.Head > snap.Entered {
		s.t.Fatalf("head %d after %d, with %d entered", snap.Head, s.called, snap.Entered)
	}
	if !snap.Armed && snap.Head != snap.Entered {
		s.t.Fatalf("not armed with head %d of %d", snap.Head, snap.Entered)
	}
	for ; s.called < snap.Head; s.called++ {
		place := s.called
		if id, ok := s.waiting[place]; ok && s.rng.Float64() >= s.noShow {
			since := s.now
			s.in(s.about(200*time.Millisecond, 1500*time.Millisecond), func() { s.claim(place, id, since) })
		}
		delete(s.waiting, place)
	}
	s.armed, s.last = snap.Armed, snap
}

func (s *shoppers) arrive() {
	s.t.Helper()
	a := arrive(s.t, s.edge())
	if !a.Admitted {
		s.waiting[a.Number] = a.ID
		return
	}
	if len(s.waiting) > 0 {
		s.t.Fatalf("%d overtook %d who wait", a.Number, len(s.waiting))
	}
	s.direct++
	s.enter(a.ID, a.Claim)
}

func (s *shoppers) claim(place uint64, id [8]byte, called time.Time) {
	s.t.Helper()
	c, err := s.edge().Claim(s.t.Context(), place, id)
	switch wait, ok := errors.AsType[*queueing.WaitError](err); {
	case ok:
		s.denied++
		s.in(wait.Retry+s.about(0, 200*time.Millisecond), func() { s.claim(place, id, called) })
	case errors.Is(err, queueing.ErrPaused):
		s.in(s.about(2*time.Second, time.Second), func() { s.claim(place, id, called) })
	case err != nil:
		s.t.Fatal(err)
	case c.Again:
		s.t.Fatalf("%d was given a pass again", place)
	default:
		s.longest = max(s.longest, s.now.Sub(called))
		s.enter(id, c)
	}
}

func (s *shoppers) enter(id [8]byte, c queueing.Claim) {
	s.t.Helper()
	s.passes = append(s.passes, s.now)
	if s.room.MaxActive == 0 {
		return
	}
	s.inside[id] = c.Expires
	s.edge().Renew(id, c.Expires)
	s.most = max(s.most, len(s.inside))
	if len(s.inside) > s.room.MaxActive {
		s.t.Fatalf("%d inside, at most %d may be", len(s.inside), s.room.MaxActive)
	}
	if s.stay == 0 {
		s.in(c.Expires.Sub(s.now), func() { delete(s.inside, id) })
		return
	}
	s.in(s.about(s.stay/2, s.stay), func() {
		delete(s.inside, id)
		s.edge().Release(id)
	})
}

func (s *shoppers) checkBound(rate, burst float64) {
	s.t.Helper()
	(&crowd{t: s.t, passes: s.passes}).checkBound(0, rate, burst)
}

// Whatever the rate: below the level nobody waits; above it the passes flow at
// the rate, with two in five never coming; and after it the room disarms.
func TestRoomFollowsTheCrowd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		rate  configs.Rate
		burst int
		run   time.Duration
		step  time.Duration
		share float64
	}{
		{"1/min", configs.Rate{Count: 1, Per: time.Minute}, 1, 20 * time.Minute, time.Second, 0.8},
		{"1/s", configs.Rate{Count: 1, Per: time.Second}, 1, time.Minute, 200 * time.Millisecond, 0.75},
		{"20/s", configs.Rate{Count: 20, Per: time.Second}, 20, 30 * time.Second, 100 * time.Millisecond, 0.95},
		{"200/s", configs.Rate{Count: 200, Per: time.Second}, 200, 6 * time.Second, 100 * time.Millisecond, 0.85},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			room := roomOf(1, c.burst, 0)
			room.Admit = c.rate
			s := newShoppers(t, room, 3, 0.4)
			rate := c.rate.PerSecond()
			c.run = spell(c.run, c.run/2)
			s.run(c.run/5, c.step, 0)

			s.run(c.run, c.step, rate/4)
			if c.burst > 1 && (len(s.waiting) > 0 || s.direct != len(s.passes)) {
				t.Errorf("at a quarter of the level %d wait, %d of %d passes on arrival", len(s.waiting), s.direct, len(s.passes))
			}
			t.Logf("below the level: %d of %d passes on arrival", s.direct, len(s.passes))

			before := len(s.passes)
			s.run(c.run, c.step, 3*rate)
			share := float64(len(s.passes)-before) / (rate * c.run.Seconds())
			t.Logf("above it: %.1f %% of the rate, %d wait, %d told to", 100*share, len(s.waiting), s.denied)
			if !s.armed || share < c.share {
				t.Errorf("armed %v, %.1f %% of the rate, want %.0f %%", s.armed, 100*share, 100*c.share)
			}

			start := s.now
			for s.armed && s.now.Before(start.Add(8*c.run)) {
				s.run(c.run/10, c.step, rate/4)
			}
			if s.armed || len(s.waiting) > 0 {
				t.Errorf("armed %v, %d wait", s.armed, len(s.waiting))
			}
			t.Logf("disarmed after %v; called to pass at most %v", s.now.Sub(start), s.longest)
			s.checkBound(rate, float64(c.burst))
		})
	}
}

// The bound of those inside is never passed, the seats are hardly ever empty,
// and the head does not run away while there are none.
func TestRoomIsFullAndNoFuller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		most   int
		stay   time.Duration
		noShow float64
	}{
		{"released", 200, 30 * time.Second, 0.4},
		{"expired", 200, 0, 0.4},
		{"everyone comes", 200, 30 * time.Second, 0},
		{"few seats", 5, 30 * time.Second, 0.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			room := roomOf(20, 20, c.most)
			room.PassLife = 40 * time.Second
			s := newShoppers(t, room, 3, c.noShow)
			s.stay = c.stay
			step := 100 * time.Millisecond
			s.run(5*time.Second, step, 0)
			s.run(spell(time.Minute, 45*time.Second), step, 10)
			denied, before, seats, n := s.denied, len(s.passes), 0, 0
			measured := spell(time.Minute, 40*time.Second) // a pass's life at least
			for range int(measured.Seconds()) {
				s.run(time.Second, step, 10)
				seats, n = seats+len(s.inside), n+1
			}
			share := float64(seats) / float64(n*c.most)
			t.Logf("%.1f %% of the seats taken; %d passes, %d told to wait, %v from call to pass; %d wait, head %d",
				100*share, len(s.passes)-before, s.denied-denied, s.longest, len(s.waiting), s.called)
			if !s.armed || share < 0.75 {
				t.Errorf("armed %v, %.1f %% of the seats taken", s.armed, 100*share)
			}
			if uint64(len(s.passes))*3 < s.called {
				t.Errorf("%d called for %d passes", s.called, len(s.passes))
			}
			low, high := s.last.Standing(numbered(s.last.Entered-1)).Low, s.last.Standing(numbered(s.last.Entered-1)).High
			wait := time.Duration(float64(len(s.waiting)) / (float64(len(s.passes)-before) / (1 - c.noShow) / measured.Seconds()) * float64(time.Second))
			t.Logf("the last one is told %v to %v, about %v is right", low, high, wait)
			if c.most > 100 && (wait < low || wait > high) { // of a few passes nothing can be told
				t.Errorf("the last one is told %v to %v, about %v is right", low, high, wait)
			}
			if c.stay > 0 && c.most > 100 {
				for limit := s.now.Add(20 * time.Minute); s.armed && s.now.Before(limit); {
					s.run(10*time.Second, 10*step, 0.05)
				}
				if s.armed || len(s.waiting) > 0 {
					t.Errorf("armed %v, %d wait", s.armed, len(s.waiting))
				}
			}
			s.checkBound(20, 20)
		})
	}
}

// Invariant I6 over three edges, on arrival and by claims together, whatever
// happens to them.
func TestRoomPassesStayWithinTheBound(t *testing.T) {
	t.Parallel()
	const rate, burst = 20, 10
	s := newShoppers(t, roomOf(rate, burst, 0), 3, 0.2)
	step := 100 * time.Millisecond
	demand := func(d time.Duration) {
		s.run(d, step, rate/2)
		s.run(d, step, 2*rate)
	}
	demand(5 * time.Second)
	for i := range s.edges {
		s.edges[i] = queueing.NewRoom(s.rdb, s.room).Hasten()
		tickRoom(t, s.edges[i]) // or nobody would remember the line
	}
	demand(3 * time.Second)
	before := len(s.passes)
	if err := s.edges[0].Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	demand(2 * time.Second)
	if got := len(s.passes) - before; got > 0 {
		t.Errorf("%d passes while paused", got)
	}
	if err := s.edges[1].Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	demand(3 * time.Second)
	if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	s.run(pause, step, 0)
	demand(3 * time.Second)
	for start := s.now; s.armed && s.now.Before(start.Add(2*time.Minute)); {
		s.run(2*time.Second, 2*step, rate/4)
	}
	if s.armed {
		t.Error("armed still")
	}
	s.checkBound(rate, burst)
	if s.direct == 0 || s.direct == len(s.passes) {
		t.Errorf("%d of %d passes on arrival, both kinds are to be tried", s.direct, len(s.passes))
	}
}
