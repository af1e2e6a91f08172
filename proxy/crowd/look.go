package crowd

import "time"

const (
	lookEvery   = 10 * time.Second // by the clock, so that all edges look at once
	lookSeldom  = time.Minute      // where answers take so long that a look costs much
	slowFrom    = 0.25             // seconds
	lookLeast   = 300 * time.Millisecond
	lookMost    = 3 * time.Second
	lookTimes   = 6 // as long as an answer takes
	lookAnswers = 3 // by each of few
)

// look is a moment in which few are let through, to see how fast the origin is then:
// under a crowd it cannot be seen else, and the crowd would become what is usual
// (Envoy's adaptive concurrency probes so). Edges that share an origin look at the
// same instants, or each would see the others' crowds; their clocks have to agree
// within a tenth of a second or so.
type look struct {
	left  int       // answers; 0: there is none
	until time.Time // in any case
	last  int64     // when it was due, in Unix seconds
}

// isDue reports whether it is time for a look, and one would show something.
func (l *look) isDue(e *estimate, now time.Time) bool {
	return l.left == 0 && lookTime(e, now) > l.last && e.few() < int(e.limit)
}

// lookTime is the last instant at which looks began.
func lookTime(e *estimate, now time.Time) int64 {
	every := int64(lookEvery / time.Second)
	if e.took > slowFrom {
		every = int64(lookSeldom / time.Second)
	}
	return now.Unix() / every * every
}

func (l *look) begin(e *estimate, now time.Time) {
	long := time.Duration(lookTimes * e.took * float64(time.Second))
	if e.took == 0 {
		long = lookMost
	}
	*l = look{left: lookAnswers * e.few(), until: now.Add(min(max(long, lookLeast), lookMost)), last: lookTime(e, now)}
}

// answer counts one that came while few were there.
func (l *look) answer(e *estimate, now time.Time) {
	if l.left == 0 {
		return
	}
	if l.left--; l.left == 0 {
		e.begin(now, true)
	}
}

// endLate ends a look that takes too long.
func (l *look) endLate(e *estimate, now time.Time) {
	if l.left > 0 && now.After(l.until) {
		l.left = 0
		e.begin(now, true)
	}
}
