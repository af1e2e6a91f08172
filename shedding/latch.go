package shedding

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// Mark dates an answer of the gate. Every change raises the gate's Moves, but a
// rebuild, which raises its Epoch, begins to count them from 0 again: marks are
// compared by Epoch first, and equal ones are the same state.
type Mark struct {
	Epoch, Moves uint64
}

// Compare is negative when m is older than other, 0 when both are the same and
// positive when m is newer.
func (m Mark) Compare(other Mark) int {
	return cmp.Or(cmp.Compare(m.Epoch, other.Epoch), cmp.Compare(m.Moves, other.Moves))
}

// Latch remembers that nothing is left, so that the sold-out answer costs no
// call to the gate. Answers may arrive in any order: the newest mark decides.
// At one and the same mark a look decides over a refusal, since the one that
// was refused may have asked for more units than the few that are left.
//
// A latch that is open for too long costs a call to the gate; one that is
// closed for too long would leave units unsold, so somebody must keep looking.
//
// The zero value is open. It is safe for concurrent use.
type Latch struct {
	soldOut atomic.Bool

	mu   sync.Mutex
	seen bool // whether there is a newest answer
	mark Mark // of the newest answer
}

// Refused closes the latch: at this mark the gate had no stock to give. It
// changes nothing unless it is newer than every answer before it.
func (l *Latch) Refused(mark Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if !l.seen || mark.Compare(l.mark) > 0 {
		l.set(true, mark)
	}
}

// Observe takes a look at the gate into account: left units, counted at mark.
// It closes the latch when none is left and opens it when there is one; a look
// older than the newest answer changes nothing.
func (l *Latch) Observe(left int, mark Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if !l.seen || mark.Compare(l.mark) >= 0 {
		l.set(left <= 0, mark)
	}
}

func (l *Latch) set(soldOut bool, mark Mark) {
	l.seen, l.mark = true, mark
	l.soldOut.Store(soldOut)
}

// SoldOut reports whether the newest answer said that nothing is left. It is
// one atomic load.
func (l *Latch) SoldOut() bool { return l.soldOut.Load() }
