package places

import "time"

const (
	leastFailed = 3   // of a round, and
	failedShare = 0.1 // of its answers: the origin is in trouble
)

// round is what came in since the limit was last thought over.
type round struct {
	begun    time.Time
	answers  int
	failed   int
	answered map[Route]int
	failures map[failure]int
	there    float64 // seconds that requests spent at the origin
	work     float64 // seconds that the answers to them usually take
	most     int     // there at once
	full     bool    // somebody found no place
}

// failure is that an origin could not do what was asked of it on a route, by whom.
type failure struct {
	at Route
	of string // a key, see Who; empty: of somebody else each time
}

// answer notes an answer that usually takes so many seconds.
func (r *round) answer(at Route, usually float64) {
	if r.answered == nil {
		r.answered = map[Route]int{}
	}
	r.answers++
	r.answered[at]++
	r.work += usually
}

// fail notes a failure.
func (r *round) fail(f failure) {
	if r.failures == nil {
		r.failures = map[failure]int{}
	}
	r.failed++
	r.failures[f]++
}

// isTroubled reports whether the origin is in trouble: also beside the route that fails
// most, if there is any other, for that one may fail by itself, or be made to; and to
// more than one or two who ask, for one may ask for what fails, and on many routes. Of
// what it takes, the failures of the same count for no more than a third. That an origin
// is in trouble which fails everywhere is seen as soon as three or four ask it.
func (r *round) isTroubled() bool {
	if r.failed < leastFailed {
		return false
	}
	beside, all := r.beside()
	takes := max(leastFailed, failedShare*float64(all))
	var failed float64
	for of, n := range beside {
		if of != "" {
			n = min(n, int(takes/leastFailed))
		}
		failed += float64(n)
	}
	return failed >= leastFailed && failed > failedShare*float64(all)
}

// beside is how many failed, by whose they were, and how many came in at all, without
// those on the route that fails most, if there is any other.
func (r *round) beside() (failed map[string]int, all int) {
	on := map[Route]int{}
	for f, n := range r.failures {
		on[f.at] += n
	}
	worst, alone := Route(0), true
	for at, n := range on {
		if n > on[worst] {
			worst = at
		}
	}
	for at := range r.answered {
		alone = alone && at == worst
	}
	alone = alone && len(on) == 1
	all = r.answers + r.failed
	if !alone {
		all -= r.answered[worst] + on[worst]
	}
	failed = map[string]int{}
	for f, n := range r.failures {
		if alone || f.at != worst {
			failed[f.of] += n
		}
	}
	return failed, all
}
