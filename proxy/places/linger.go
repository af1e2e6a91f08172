package places

import (
	"container/list"
	"time"
)

// lingering are the stays whose places lapse, by how long they may linger, who lapses
// first in front.
type lingering [len(lingerFor)]list.List // of *Stay

// lingerFor is how long a place is held by who may not be working there.
var lingerFor = [...]time.Duration{
	// A body that is still coming: most are there with the head, and many that are
	// not would keep the places from everybody for nothing.
	comes: 100 * time.Millisecond,
	// An answer that is still going out, or a request of a kind of which it is not
	// known that it is answered sooner.
	goes: time.Second,
}

const (
	comes = iota
	goes
)

// linger makes the place of a stay lapse in a while, counted from now.
func (b *Bound) linger(s *Stay, now time.Time) {
	b.settle(s)
	s.kind = goes
	if s.phase == sends {
		s.kind = comes
	}
	s.due = now.Add(lingerFor[s.kind])
	s.lapses = b.lingers[s.kind].PushBack(s)
}

// settle makes a stay one whose place does not lapse.
func (b *Bound) settle(s *Stay) {
	if s.lapses != nil {
		b.lingers[s.kind].Remove(s.lapses)
		s.lapses = nil
	}
	if s.place == astray {
		s.place = none
		b.astray--
	}
}

// lapse takes back the places that lapse until now.
func (b *Bound) lapse(now time.Time) {
	for kind := range b.lingers {
		l := &b.lingers[kind]
		for front := l.Front(); front != nil; front = l.Front() {
			s := front.Value.(*Stay)
			if now.Before(s.due) {
				break
			}
			l.Remove(front)
			s.lapses = nil
			b.expire(s, now)
		}
	}
}

// expire lets a stay go on without its place, if it may. Where the origin may stand
// still, only so many may, and only a few of the same who have left; and where it is known by now that the request should have
// been answered, it does. Who has left is forgotten once the origin should be done.
func (b *Bound) expire(s *Stay, now time.Time) {
	u, more := &b.estimate.usual[s.route], time.Duration(0)
	if s.phase == left && !u.isLong() {
		more = b.estimate.worksOn(s.route) - now.Sub(s.begun)
	}
	switch {
	case s.phase == left && more <= 0:
		b.end(s, now)
		return
	case s.phase != asks && s.phase != left, u.isLong():
		b.free(s, now)
	case !u.isKnown() && b.astray < mostAstray && b.waiting.lose(s):
		b.free(s, now)
		s.place = astray
		b.astray++
	}
	if s.phase == left {
		b.endAfter(s, more)
	}
}

// wake sees to it that a place that lapses is given to who waits for one.
func (b *Bound) wake(now time.Time) {
	if b.waiting.n == 0 {
		return
	}
	var first *Stay
	for kind := range b.lingers {
		if front := b.lingers[kind].Front(); front != nil && (first == nil || front.Value.(*Stay).due.Before(first.due)) {
			first = front.Value.(*Stay)
		}
	}
	switch {
	case first == nil:
	case b.alarm == nil:
		b.alarm = time.AfterFunc(first.due.Sub(now), b.ring)
	default:
		b.alarm.Reset(first.due.Sub(now))
	}
}

func (b *Bound) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(time.Now())
}
