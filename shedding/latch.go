package shedding

import (
	"sync"
	"sync/atomic"
)

// Mark dates an answer of the gate: of two states that a gate was in, one was
// Before the other, and equal marks are the same state.
type Mark[M any] interface{ Before(M) bool }

// Latch remembers that nothing is left, so that the sold-out answer costs no
// call to the gate. Answers may arrive in any order: the newest mark decides.
// At one and the same mark a look decides over a refusal, since the one that
// was refused may have asked for more units than the few that are left.
//
// A latch that is open for too long costs a call to the gate; one that is
// closed for too long would leave units unsold, so somebody must keep looking.
//
// The zero value is open. It is safe for concurrent use.
type Latch[M Mark[M]] struct {
	soldOut atomic.Bool

	mu   sync.Mutex
	seen bool // whether there is a newest answer
	mark M    // of the newest answer
}

// Refused closes the latch: at this mark the gate had no stock to give. It
// changes nothing unless it is newer than every answer before it.
func (l *Latch[M]) Refused(mark M) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if !l.seen || l.mark.Before(mark) {
		l.set(true, mark)
	}
}

// Observe takes a look at the gate into account: left units, counted at mark.
// It closes the latch when none is left and opens it when there is one; a look
// older than the newest answer changes nothing.
func (l *Latch[M]) Observe(left int, mark M) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if !l.seen || !mark.Before(l.mark) {
		l.set(left <= 0, mark)
	}
}

func (l *Latch[M]) set(soldOut bool, mark M) {
	l.seen, l.mark = true, mark
	l.soldOut.Store(soldOut)
}

// SoldOut reports whether the newest answer said that nothing is left. It is
// one atomic load.
func (l *Latch[M]) SoldOut() bool { return l.soldOut.Load() }
