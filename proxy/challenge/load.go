package challenge

import (
	"math"
	"sync"
	"time"
)

// The bounds of the bits of a puzzle: about 33,000 and 520,000 hashes a proof.
const (
	LeastBits = 11
	MostBits  = 15
)

// Bits is how hard the puzzles are while so many proofs a second are accepted:
// the easiest below 4, one bit more with each fourfold. What a proof costs grows
// with the square root of the rate, within the bounds.
func Bits(perSecond float64) int {
	if !(perSecond >= 4) {
		return LeastBits
	}
	// Beyond the bounds a float may be anything; a bit more is enough.
	return min(LeastBits+int(min(math.Log2(perSecond)/2, MostBits)), MostBits)
}

// memory is over how long a Load forgets: after it, what was counted has weight 1/e.
const memory = 20 * time.Second

// Load is how many proofs are accepted a second, of late. Only what was paid for
// counts, so that nobody makes it harder for others without work of their own. The
// zero value has seen none. It is safe for concurrent use.
type Load struct {
	mu    sync.Mutex
	count float64 // as of last
	last  time.Time
}

// Accepted counts one proof.
func (l *Load) Accepted(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
	l.count++
}

// PerSecond is the rate at an instant.
func (l *Load) PerSecond(now time.Time) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
	return l.count / memory.Seconds()
}

// forget moves the count on to now. A clock that steps back forgets nothing.
func (l *Load) forget(now time.Time) {
	if passed := now.Sub(l.last); passed > 0 {
		l.count *= math.Exp(-passed.Seconds() / memory.Seconds())
	}
	l.last = now
}
