package crowd

import (
	"container/list"
	"time"
)

// mostAstray is how many requests of unknown kinds may be at the origin, unanswered,
// beyond those that have a place: it may stand still.
const mostAstray = 128

// Stay is one request's at the origin. Leave ends it, whatever became of it. A nil
// Stay is that of a request that needs no place.
type Stay struct {
	bound   *Bound
	class   Class
	route   Route
	ready   chan struct{} // closed when a place is given to who waits, or will not be
	refused bool          // set before ready is closed
	waits   *list.Element // among those who wait; nil: does not

	here     bool          // has a place
	works    bool          // is work for the origin
	lapses   *list.Element // among those whose place lapses; nil: does not
	kind     int           // among which of those
	due      time.Time     // when it does
	astray   bool          // of an unknown kind, and beyond its place
	coming   bool          // its body is
	answered bool
	until    time.Time // when no more of an answer that goes on takes a place
	begun    time.Time
	beside   int // how many were here when it began
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
	if !s.coming || s.answered {
		return
	}
	s.coming = false
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
	s.answered = true
	switch {
	case !goesOn:
		b.settle(s)
		b.free(s, now)
	case s.here:
		s.until = now.Add(lingerFor[goes])
		b.linger(s, now)
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
	if now := time.Now(); !s.here && now.Before(s.until) {
		b.estimate.pass(now)
		b.estimate.here++
		s.here = true
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
	if !s.answered && !s.coming && b.late(s, now) {
		b.measure(s, true, now)
	}
	s.answered, s.until = true, time.Time{}
	b.settle(s)
	b.free(s, now)
	b.give(now)
}
