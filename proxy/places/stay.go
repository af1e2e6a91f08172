package places

import (
	"container/list"
	"context"
	"time"
)

// mostAstray is how many requests of unknown kinds may be at the origin, unanswered,
// beyond those that have a place: it may stand still.
const mostAstray = 128

// mostLeft is how long the place is held, at most, of who left unanswered: many shops
// go on working for nobody.
const mostLeft = 5 * time.Second

// phase is how far a request is.
type phase uint8

const (
	sends   phase = iota // its body is coming
	ends                 // the last of it is kept back, for want of a place
	asks                 // for an answer
	answers              // which has begun, and goes on
	over                 // it goes on without the origin, has left, or was turned away
	left                 // it has left unanswered, and the origin may still work
)

// place is what a request has at the origin.
type place uint8

const (
	none    place = iota
	idle          // one, and is no work
	working       // one, and is work
	astray        // none any more, though it may be work: of an unknown kind, and lapsed
)

// Stay is one request's at the origin. Leave ends it, whatever became of it. A nil
// Stay is that of a request that needs no place.
type Stay struct {
	bound   *Bound
	who     Who
	class   Class // in which it waits
	route   Route
	phase   phase
	place   place
	ready   chan struct{} // closed when a place is given to who waits, or will not be
	waits   *list.Element // among those who wait; nil: does not
	refused bool          // turned away for another one
	counted bool          // among those of the same who have waited or left
	missed  bool          // among those who have left unanswered
	drifts  bool          // among those of them who have lost their place

	begun  time.Time
	beside int       // how many were here then
	until  time.Time // when no more of an answer that goes on takes a place

	lapses *list.Element // among those whose place lapses; nil: does not
	kind   int           // among which of those
	due    time.Time     // when it does
}

func (b *Bound) newStay(who Who, route Route, coming bool) *Stay {
	s := &Stay{bound: b, who: who, route: route, phase: asks}
	if coming {
		s.phase = sends
	}
	return s
}

// Sent is for the last of a request's body, before it is sent: until now the origin
// could wait for it, and from then on it works. Who lost the place meanwhile waits for
// another one, as who, or as when they waited before. It fails as Bound.Wait does; nothing of who waits is looked at
// before.
func (s *Stay) Sent(ctx context.Context, who func() Who) error {
	if s == nil || s.sent() {
		return nil
	}
	s.Of(who())
	return s.bound.wait(ctx, s)
}

// Of notes whose the request is, which Bound.Enter did not ask for. It is for who
// leaves unanswered, and for an answer that says that the origin could not: what one
// asks for is not held against the others.
func (s *Stay) Of(who Who) {
	if s == nil {
		return
	}
	s.bound.mu.Lock()
	defer s.bound.mu.Unlock()
	if s.who.Key == "" { // else it is counted under this
		s.who = who
	}
}

// sent makes work of a stay that has a place, or needs none; else it is one that has
// to wait.
func (s *Stay) sent() bool {
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.phase != sends {
		return true
	}
	now := time.Now()
	b.give(now)
	if s.place == none && !b.isOpenToAll() {
		s.phase, s.ready = ends, make(chan struct{})
		return false
	}
	s.phase = asks
	b.settle(s)
	b.free(s, now)
	b.begin(s, now)
	return true
}

// Answered notes that the head of an answer has come, of an origin that could or
// could not do what it was asked. Where it does not go on working for the rest, the
// place is given back.
func (s *Stay) Answered(could, goesOn bool) {
	if s == nil {
		return
	}
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.measure(s, could, now)
	b.release(s) // who has the answer already does not need to send the rest
	switch {
	case s.phase >= over:
	case !goesOn:
		s.phase = over
		b.end(s, now)
	case s.place == idle:
		s.phase, s.until = answers, now.Add(lingerFor[goes])
		b.linger(s, now)
	default:
		s.phase = answers
	}
	b.give(now)
}

// Works and Rests note, of an answer that goes on, that more of it is waited for, and
// that some has come: a client that takes its time with it holds no place meanwhile,
// and after a while nobody does.
func (s *Stay) Works() {
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); s.phase == answers && s.place == none && now.Before(s.until) {
		s.place = idle
		b.estimate.begins(false, now)
		b.linger(s, now)
	}
}

// Rests is explained at Works.
func (s *Stay) Rests() {
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.settle(s)
	b.free(s, now)
	b.give(now)
}

// Leave gives the place back, if it still is held. Of who leaves unanswered it is
// known how long they waited; sooner than is usual, the origin is taken to work on for
// as long as that, and the place is held meanwhile, for those of Stay.Of.
func (s *Stay) Leave() {
	if s == nil {
		return
	}
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case s.phase == left:
		return
	case s.phase == asks && b.estimate.late(s.route, s.begun, now):
		b.measure(s, true, now)
	case s.phase == asks && b.holdOn(s, now):
		return
	}
	s.phase = over
	b.end(s, now)
	b.give(now)
}

// holdOn lets the place of who leaves unanswered go only when the origin should be
// done: one that lapses, then or later.
func (b *Bound) holdOn(s *Stay, now time.Time) bool {
	if s.place == none {
		return false
	}
	s.phase = left
	b.waiting.miss(s)
	if s.place == working {
		b.rest(s, now)
		b.estimate.leaveOut(now.Sub(s.begun), now)
	}
	if s.lapses == nil {
		b.endAfter(s, b.estimate.worksOn(s.route)-now.Sub(s.begun))
	}
	return true
}

// endAfter ends a stay in so long.
func (b *Bound) endAfter(s *Stay, long time.Duration) {
	time.AfterFunc(long, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.end(s, time.Now())
		b.give(time.Now())
	})
}

// release ends the waiting of a stay that needs no place any more.
func (b *Bound) release(s *Stay) {
	if s.waits != nil {
		b.waiting.leave(s)
		close(s.ready)
	}
}

// end takes back all that a stay has.
func (b *Bound) end(s *Stay, now time.Time) {
	b.release(s)
	b.settle(s)
	b.free(s, now)
	b.waiting.discount(s)
}
