package places

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull is a request for which there was no place at the origin in time.
var ErrFull = errors.New("too many are at the origin")

// Bound is how many requests may be at an origin at once, and who comes next. A nil
// Bound lets everybody in. It is safe for concurrent use.
type Bound struct {
	mu       sync.Mutex
	fixed    int       // above 0: the limit
	estimate *estimate // what it follows from else; also measures with a fixed one
	astray   int
	waiting  waiting
	lingers  lingering
	alarm    *time.Timer // until the first of them lapses; nil: never yet
	served   [2]int      // places given back in this second and in the last
	second   int64       // this second
}

// New is a bound of so many, or with fixed 0 of as many as the origin shows that it
// can work on, up to most.
func New(fixed, most int) *Bound {
	return &Bound{fixed: fixed, estimate: newEstimate(most, time.Now())}
}

// Tell tells what time it is now on a clock that all edges at the origin share: by it
// they agree on when to see how fast it is. One's own is taken until then.
func (b *Bound) Tell(shared time.Time) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.estimate.ahead = time.Until(shared)
}

// Enter takes a place, if there is one for anybody: nil if there is not, and false.
// coming says that a body comes along, see Stay.Sent.
func (b *Bound) Enter(route Route, coming bool) (s *Stay, in bool) {
	if b == nil {
		return nil, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.give(now); !b.isOpenToAll() {
		return nil, false
	}
	s = b.newStay(Who{Class: Everyone}, route, coming)
	b.begin(s, now)
	return s, true
}

// Wait takes a place, and waits for one if there is none. It fails with ErrFull
// where there was none in time, or where so many wait that there will be none, and
// with the cause of ctx.
func (b *Bound) Wait(ctx context.Context, who Who, route Route, coming bool) (*Stay, error) {
	if b == nil {
		return nil, nil
	}
	s := b.newStay(who, route, coming)
	s.ready = make(chan struct{})
	if err := b.wait(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// wait waits for a place for a stay.
func (b *Bound) wait(ctx context.Context, s *Stay) error {
	if !b.queue(s) {
		return ErrFull
	}
	timer := time.NewTimer(s.class.patience())
	defer timer.Stop()
	var err error
	select {
	case <-s.ready:
	case <-timer.C:
		err = ErrFull
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case s.refused:
		return ErrFull
	case s.waits != nil:
		b.waiting.leave(s)
		b.waiting.discount(s)
		return err
	case ctx.Err() != nil: // nothing has reached the origin
		s.phase = over
		b.end(s, time.Now())
		b.give(time.Now())
		return context.Cause(ctx)
	default: // perhaps in the same instant
		return nil
	}
}

// queue gives a stay a place, if there is one for it, or puts it among those who wait,
// if it may.
func (b *Bound) queue(s *Stay) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.give(now)
	half := b.hasHalf(s)
	switch {
	case !b.isOpen():
		b.estimate.full(now)
	case !half:
		b.admit(s, now)
		return true
	}
	b.count(now)
	turnedAway, in := b.waiting.enter(s, min(max(leastWaiting, max(b.served[0], b.served[1])/2), mostWaiting), half)
	if turnedAway != nil {
		turnedAway.refused = true
		b.waiting.discount(turnedAway)
		close(turnedAway.ready)
	}
	b.give(now)
	return in
}

func (b *Bound) limit() int {
	if b.fixed > 0 {
		return b.fixed
	}
	return b.estimate.now()
}

// isOpen reports whether there is a place, and isOpenToAll whether whoever comes may
// have it: nobody waits, and none of those who have left can have half of the places.
func (b *Bound) isOpen() bool { return b.estimate.here < b.limit() }
func (b *Bound) isOpenToAll() bool {
	return b.isOpen() && b.waiting.n == 0 && 2*b.waiting.left < b.limit()
}

// hasHalf reports whether the same as a stay, some of whom have left unanswered, hold
// half of the places: then others come first, though there are places.
func (b *Bound) hasHalf(s *Stay) bool { return 2*b.waiting.hold(s.who.Key) >= b.limit() }

// give gives the places that there are to those who wait.
func (b *Bound) give(now time.Time) {
	b.lapse(now)
	for b.isOpen() {
		s := b.waiting.next(b.hasHalf)
		if s == nil {
			break
		}
		b.admit(s, now)
	}
	b.wake(now)
}

// admit gives a stay a place that asked for one.
func (b *Bound) admit(s *Stay, now time.Time) {
	if s.phase == ends {
		s.phase = asks
	}
	b.begin(s, now)
	close(s.ready)
}

// begin gives a stay a place from now on.
func (b *Bound) begin(s *Stay, now time.Time) {
	u := &b.estimate.usual[s.route]
	if s.place = idle; s.phase == asks && !u.isLong() {
		s.place = working
	}
	b.estimate.begins(s.place == working, now)
	s.begun, s.beside = now, b.estimate.here
	if s.place == idle || !u.isKnown() {
		b.linger(s, now)
	}
}

// rest makes a stay one that is no work for the origin any more.
func (b *Bound) rest(s *Stay, now time.Time) {
	if s.place == working {
		s.place = idle
		b.estimate.rests(now)
	}
}

// measure tells the estimate how long the origin took.
func (b *Bound) measure(s *Stay, could bool, now time.Time) {
	if s.phase >= answers || s.phase == ends {
		return
	}
	works := s.place == working
	b.rest(s, now)
	if e := b.estimate; could {
		e.answered(s.route, now.Sub(s.begun), max(s.beside, e.here) <= e.few(), works, now)
	} else {
		e.fail(failure{s.route, s.who.Key}, now.Sub(s.begun), works, now)
	}
}

// count counts a second's places.
func (b *Bound) count(now time.Time) {
	switch second := now.Unix(); second - b.second {
	case 0:
	case 1:
		b.second, b.served = second, [2]int{0, b.served[0]}
	default:
		b.second, b.served = second, [2]int{}
	}
}

// free takes the place from a stay that has one.
func (b *Bound) free(s *Stay, now time.Time) {
	if b.rest(s, now); s.place == idle {
		s.place = none
		b.estimate.leaves(now)
		b.count(now)
		b.served[0]++
	}
}
