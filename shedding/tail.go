package shedding

import "math"

const (
	// PriorConversion is the share of those called that is taken to buy: low, so
	// that a no is true also where few do.
	PriorConversion = 0.05

	// DefaultCertainty is how sure a no must be.
	DefaultCertainty = 0.999
)

// Question is what is known about one place in the line.
type Question struct {
	Ahead      uint64  // places called before this one that have not bought yet
	Left, Held int     // units in the gate, and units that may still come back to it
	Conversion float64 // a lower bound, in (0, 1], of the share of Ahead who buy and keep one
	Certainty  float64 // in (0, 1): how sure a no must be
}

// Hopeless reports whether the place is, with the stated certainty, called too
// late: the probability that fewer of those ahead buy than there are units is
// proven to be at most 1 - Certainty. Once true it stays true for every place
// further back. In doubt, also about the numbers themselves, it is false.
//
// With X buyers among n ahead, each with probability p or more, and u units,
// it bounds P(X <= k) for k = u-1 by
//
//	b(n, k, p) / (1 - k(1-p) / ((n-k+1)p)),   b(n, k, p) <= sqrt(n / (2πk(n-k))) exp(-n D(k/n ‖ p))
//
// which docs/tail.md derives.
func Hopeless(o Question) bool {
	if o.Left < 0 || o.Held < 0 || o.Left > maxUnits || o.Held > maxUnits {
		return false
	}
	// Written so that a NaN fails too.
	if !(o.Conversion > 0 && o.Conversion <= 1 && o.Certainty > 0 && o.Certainty < 1) {
		return false
	}
	units := o.Left + o.Held
	if units == 0 {
		return true
	}
	return logTail(float64(o.Ahead), float64(units-1), o.Conversion) <= math.Log1p(-o.Certainty)
}

// HopelessFrom is the fewest people ahead with whom a place is hopeless, for the
// other odds as they are: [Hopeless] is true from that Ahead on and for none
// before. Without it, ok is false, nobody in a line of up to 2^48 is hopeless.
// Ahead itself is not looked at.
func HopelessFrom(o Question) (ahead uint64, ok bool) {
	o.Ahead = longestLine
	if !Hopeless(o) {
		return 0, false
	}
	low, high := uint64(0), o.Ahead // the fewest are in [low, high]
	for low < high {
		if o.Ahead = low + (high-low)/2; Hopeless(o) {
			high = o.Ahead
		} else {
			low = o.Ahead + 1
		}
	}
	return low, true
}

// logTail is an upper bound of ln P(X <= k) for X of the binomial distribution
// (n, p), decreasing in n. It is 0, which bounds everything, unless k is below
// the mean.
func logTail(n, k, p float64) float64 {
	mean := n * p
	below := mean - k
	if below <= 0 {
		return 0
	}
	if k == 0 {
		return n * math.Log1p(-p)
	}
	// n D(k/n ‖ p), by differences from the mean: its two terms nearly cancel.
	divergence := k*math.Log1p(-below/mean) + (n-k)*math.Log1p(below/(n-mean))
	peak := math.Log(n/(2*math.Pi*k*(n-k))) / 2
	ratio := k * (1 - p) / ((n - k + 1) * p)
	return min(peak-divergence-math.Log1p(-ratio), 0)
}
