package places

import (
	"container/list"
	"time"
)

// mostAstray is how many requests of unknown kinds may be at the origin, unanswered,
// beyond those that have a place: it may stand still.
const mostAstray = 128

// phase is how far a request is.
type phase uint8

const (
	sends   phase = iota // its body is coming
	asks                 // for an answer
	answers              // which has begun, and goes on
	over                 // it goes on without the origin, has left, or was turned away
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
	bound *Bound
	class Class
	route Route
	phase phase
	place place
	ready chan struct{} // closed when a place is given to who waits, or will not be
	waits *list.Element // among those who wait; nil: does not

	begun  time.Time
	beside int       // how many were here then
	until  time.Time // when no more of an answer that goes on takes a place

	lapses *list.Element // among those whose place lapses; nil: does not
	kind   int           // among which of those
	due    time.Time     // when it does
}

func (b *Bound) newStay(class Class, route Route, coming bool) *Stay {
	s := &Stay{bound: b, class: class, route: route, phase: asks}
	if coming {
		s.phase = sends
	}
	return s
}

// Sent notes that all of the request has been sent: until now the origin could wait
// for it, and from now on it works. Who gave the place back meanwhile has one again,
// whether there is one or not.
func (s *Stay) Sent() {
	if s == nil {
		return
	}
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.phase != sends {
		return
	}
	s.phase = asks
	b.settle(s)
	now := time.Now()
	b.free(s, now)
	b.begin(s, now)
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
	switch {
	case !goesOn:
		s.phase = over
		b.settle(s)
		b.free(s, now)
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
// known how long they waited.
func (s *Stay) Leave() {
	if s == nil {
		return
	}
	b := s.bound
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if s.phase == asks && b.estimate.late(s.route, s.begun, now) {
		b.measure(s, true, now)
	}
	s.phase = over
	b.settle(s)
	b.free(s, now)
	b.give(now)
}
