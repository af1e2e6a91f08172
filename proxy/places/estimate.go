package places

import (
	"math"
	"time"
)

const (
	floor     = 4  // requests may be there at least: the slowest origin must not be left idle
	beginning = 16 // may be there before anything is known

	tolerated  = 1.5 // times slower than usual
	leastRound = 24  // answers, after which the limit is thought over
	mostRound  = 200
	shortRound = 10 * time.Millisecond
	failedLeft = 0.7 // of the limit, when the origin is in trouble
)

// estimate finds how many requests an origin can work on at once, from how long it
// takes: as many as make it a little slower than it is when hardly anybody is there.
//
// How long it takes for what it answers comes from Little's law: so many were there
// for so long, and so many were answered meanwhile. Against single times this has
// two advantages: those not yet answered count as well, and one that takes very long
// is never more than one of those that are there. What is usual is known for each
// route, and a factor for all of them follows when the whole origin becomes slower
// or faster, so that neither another mix of requests nor a slow database is taken
// for a crowd.
type estimate struct {
	limit float64
	most  float64 // the ceiling
	usual [manyRoutes]usual
	calm  calm
	probe probe
	ahead time.Duration // of our clock, the one that all edges share
	slow  float64       // how many times slower than usual it was in the last round
	took  float64       // about how long an answer takes, in seconds

	here    int // have a place
	working int // of them: work for the origin, which has not answered
	passed  time.Time
	settled time.Time // from then on what comes in is due to the limit as it is
	round   round
}

func newEstimate(most int, now time.Time) *estimate {
	e := &estimate{most: float64(max(most, floor)), slow: 1, passed: now, settled: now, calm: newCalm()}
	e.limit = min(beginning, e.most)
	e.round.begun = now
	e.probe.begin(e, now)
	return e
}

// now is how many may be at the origin.
func (e *estimate) now() int {
	if e.probe.left > 0 {
		return e.few()
	}
	return int(e.limit)
}

// few are so many that it is as if hardly anybody were there.
func (e *estimate) few() int { return max(floor, int(e.limit/3)) }

// isCalm reports whether no more than few are there.
func (e *estimate) isCalm() bool { return e.here <= e.few() }

// pass counts the time until now, before anything changes. While more are there than
// may be, it is not due to the limit.
func (e *estimate) pass(now time.Time) {
	spent := float64(e.working) * now.Sub(e.passed).Seconds()
	e.passed = now
	if e.isCalm() {
		e.calm.there(spent)
	}
	if e.measures(now) {
		e.round.there += spent
		e.round.most = max(e.round.most, e.here)
	}
	e.probe.endLate(e, now)
}

// begins notes a request that has a place from now on, works one that is work.
func (e *estimate) begins(works bool, now time.Time) {
	e.pass(now)
	if e.here++; works {
		e.working++
	}
}

// rests notes that one is no work any more, and leaves that it has no place.
func (e *estimate) rests(now time.Time)  { e.pass(now); e.working-- }
func (e *estimate) leaves(now time.Time) { e.pass(now); e.here-- }

// late reports whether a request that began so long ago took longer than is usual
// already.
func (e *estimate) late(at Route, begun, now time.Time) bool {
	u := &e.usual[at]
	return u.isKnown() && now.Sub(begun).Seconds() > u.took*e.calm.factor()
}

// expects is how long an answer of a route takes, as far as is known.
func (e *estimate) expects(at Route) time.Duration {
	return time.Duration(e.usual[at].took * e.calm.factor() * e.slow * float64(time.Second))
}

// worksOn is for how long the origin is taken to work for who leaves at once.
func (e *estimate) worksOn(at Route) time.Duration {
	if !e.usual[at].isKnown() {
		return mostLeft
	}
	return min(e.expects(at), mostLeft)
}

// measures reports whether what comes in now shows what the limit does.
func (e *estimate) measures(now time.Time) bool {
	return !now.Before(e.settled) && e.here <= e.now()
}

// full notes that somebody found no place.
func (e *estimate) full(now time.Time) {
	e.pass(now)
	e.round.full = true
	if e.probe.isDue(e, now) {
		e.probe.begin(e, now)
	}
}

// fail notes that the origin did not answer, or answered that it cannot. Of a route
// that never was answered well that says nothing, and no failure says how fast the
// origin is.
func (e *estimate) fail(f failure, took time.Duration, works bool, now time.Time) {
	e.pass(now)
	if works {
		e.leaveOut(took, now)
	}
	if !e.usual[f.at].isKnown() {
		return
	}
	e.round.fail(f)
	e.think(now)
}

// leaveOut takes it that a time until now shows nothing.
func (e *estimate) leaveOut(took time.Duration, now time.Time) {
	if e.isCalm() {
		e.calm.leaveOut(took.Seconds())
	}
	e.leaveOutOfRound(took, now)
}

func (e *estimate) leaveOutOfRound(took time.Duration, now time.Time) {
	if r := &e.round; e.measures(now) {
		r.there = max(0, r.there-min(took, now.Sub(r.begun)).Seconds())
	}
}

// answered notes an answer, alone with a time at which at no instant more than few
// were there. It is noted before its place is given back.
func (e *estimate) answered(at Route, took time.Duration, alone, works bool, now time.Time) {
	e.pass(now)
	u, seconds := &e.usual[at], max(took.Seconds(), 1e-6)
	usually := u.took
	switch {
	case alone:
		u.learn(seconds)
	case u.seen < firstOf:
		u.learn(seconds / e.calm.factor() / e.slow)
	}
	if usually == 0 {
		usually = u.took // the first is as usual
	}
	switch {
	case !works:
		return
	case u.isLong(): // by now: it was no work, and calm has forgotten most of it
		e.leaveOutOfRound(took, now)
		return
	}
	e.took += tookStep * (min(seconds, usually*mostSlow) - e.took)
	if e.isCalm() {
		e.calm.answer(usually, e.few())
		e.probe.answer(e, now)
	}
	if e.measures(now) {
		e.round.answer(at, usually)
	}
	e.think(now)
}

// think ends the round, if enough is known, and moves the limit.
func (e *estimate) think(now time.Time) {
	r := &e.round
	enough := min(max(int(e.limit), leastRound), mostRound)
	if r.answers+r.failed < enough || now.Sub(r.begun) < shortRound {
		return
	}
	limit := e.limit
	if r.isTroubled() {
		limit *= failedLeft
	} else if r.work > 0 {
		e.slow = e.measure(r)
		if e.probe.left == 0 {
			limit = next(limit, e.slow, r.full, r.most)
		}
	}
	limit = min(max(limit, floor), e.most)
	changed := limit != e.limit
	e.limit = limit
	e.begin(now, changed)
}

// begin forgets the round. After another limit the origin needs a moment until what
// it does is due to it.
func (e *estimate) begin(now time.Time, changed bool) {
	e.round = round{begun: now}
	if changed {
		e.settled = now.Add(time.Duration(e.took * float64(time.Second)))
	}
}

// measure is how many times slower than usual the answers of a round were, at least
// once. Where all together were clearly faster, more than chance makes them, it is
// what is usual that has changed.
func (e *estimate) measure(r *round) float64 {
	slow := r.there / r.work / e.calm.factor()
	if slow < 1-3/math.Sqrt(float64(r.answers)) {
		e.calm.faster(slow)
	}
	return max(slow, 1)
}

// next is the limit after a round in which answers were so many times slower than
// usual: so many as would make them as slow as is tolerated, and room for as many
// more as are needed to see it. It grows only when it was reached, by half when
// nothing was slower at all, and it shrinks, by half at most, only when as many were
// there that it may be their doing.
func next(limit, slow float64, full bool, there int) float64 {
	to := limit*min(1, tolerated/slow) + math.Sqrt(limit)
	if slow < (1+tolerated)/2 {
		to = max(to, limit*1.5)
	}
	to = max(to, limit/2)
	switch {
	case full:
		return to
	case float64(there) > limit/2:
		return min(to, limit)
	default:
		return limit
	}
}
