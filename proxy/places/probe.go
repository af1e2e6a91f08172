package places

import "time"

const (
	probeEvery   = 10 * time.Second // by a clock, so that all edges probe at once
	probeSeldom  = time.Minute      // where answers take so long that a probe costs much
	slowFrom     = 0.25             // seconds
	probeLeast   = 300 * time.Millisecond
	probeMost    = 3 * time.Second
	probeTimes   = 6 // as long as an answer takes
	probeAnswers = 3 // by each of few
)

// probe is a moment in which few are let through, to see how fast the origin is then:
// under a crowd it cannot be seen else, and the crowd would become what is usual
// (Envoy's adaptive concurrency probes so). Edges that share an origin probe at the
// same instants, or each would see the others' crowds; so they do it by a clock that
// they share, see Bound.Tell. Without one their own have to agree within a tenth of a
// second or so.
type probe struct {
	left  int       // answers; 0: there is none
	until time.Time // in any case
	last  int64     // when it was due, in Unix seconds of the clock that is shared
}

// isDue reports whether it is time for a probe, and one would show something.
func (p *probe) isDue(e *estimate, now time.Time) bool {
	putBack := p.last > now.Add(e.ahead).Unix()
	return p.left == 0 && (probeTime(e, now) > p.last || putBack) && e.few() < int(e.limit)
}

// probeTime is the last instant at which probes began.
func probeTime(e *estimate, now time.Time) int64 {
	every := int64(probeEvery / time.Second)
	if e.took > slowFrom {
		every = int64(probeSeldom / time.Second)
	}
	return now.Add(e.ahead).Unix() / every * every
}

func (p *probe) begin(e *estimate, now time.Time) {
	long := time.Duration(probeTimes * e.took * float64(time.Second))
	if e.took == 0 {
		long = probeMost
	}
	*p = probe{left: probeAnswers * e.few(), until: now.Add(min(max(long, probeLeast), probeMost)), last: probeTime(e, now)}
}

// answer counts one that came while few were there.
func (p *probe) answer(e *estimate, now time.Time) {
	if p.left == 0 {
		return
	}
	if p.left--; p.left == 0 {
		e.begin(now, true)
	}
}

// endLate ends a probe that takes too long.
func (p *probe) endLate(e *estimate, now time.Time) {
	if p.left > 0 && now.After(p.until) {
		p.left = 0
		e.begin(now, true)
	}
}
