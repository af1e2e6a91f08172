package proxy

import (
	"sync"
	"time"
)

const (
	lullAfter = 5               // questions in a row that were not answered
	lullLast  = 2 * time.Second // until the next is asked, by one who comes then
)

// lull leaves a service in peace that does not answer. The zero value lets
// everybody ask.
type lull struct {
	mu     sync.Mutex
	failed int // in a row
	until  time.Time
}

// may reports whether to ask at this instant.
func (l *lull) may(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.failed < lullAfter:
		return true
	case now.Before(l.until):
		return false
	}
	l.until = now.Add(lullLast) // for the others
	return true
}

// note takes into account what came of a question, and reports whether with it a
// lull begins.
func (l *lull) note(answered bool, now time.Time) (begins bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answered {
		l.failed = 0
		return false
	}
	l.failed++
	l.until = now.Add(lullLast)
	return l.failed == lullAfter
}
