package shedding

import "math"

// longestLine is the longest that a draw can be made of.
const longestLine = 1 << 48

// maxUnits keeps the distance to the mean exact in float64 to better than a
// millionth of a unit.
const maxUnits = 1 << 30

// peak bounds how likely any one value of a sum of independent trials is, in
// deviations of that sum: 0.46882… of Baillon, Cominetti and Vaisman, 2016.
const peak = 0.46883

// trials is so many who, independently of all others, each keep a unit with the
// same probability, or a higher one.
type trials struct{ n, p float64 }

// logAtMost is an upper bound of ln P(X <= c), where X is how many of them keep a
// unit. It is 0, which bounds everything, unless c is below the mean. For every x in
// (0, 1), which weighs each unit that is kept,
//
//	P(X <= c) <= x^-c E[x^X] min(1, 0.46883 / ((1-x) σ))
//
// where σ² is the variance of X under that weight. docs/tail.md derives it. The x
// that is taken makes the weighted mean c, and so x^-c E[x^X] least; a worse one
// would only be less sharp.
func (t trials) logAtMost(c float64) float64 {
	// A certain one is taken to be nearly so, which is less than certain.
	p, fail := min(t.p, 1-0x1p-40), max(1-t.p, 0x1p-40)
	if c < 0 {
		return math.Inf(-1)
	}
	if !(t.n*p > c) { // a NaN too
		return 0
	}
	x := c * fail / (p * (t.n - c))
	bound := t.n * math.Log1p(p*(x-1)) // ln E[x^X]
	if c == 0 {
		return bound
	}
	bound -= c * math.Log(x)
	σ := math.Sqrt(c * (1 - c/t.n)) // each keeps one with c/n under the weight
	return min(0, bound, bound+math.Log(peak/((1-x)*σ)))
}

// fewest is the least n for which n people ahead, each of whom keeps a unit with
// probability p or more, leave one of so many units with a probability of at most
// e^limit. Without it, ok is false, no line of up to 2^48 is long enough.
func fewest(units int, p, limit float64) (n uint64, ok bool) {
	c := float64(units - 1)
	enough := func(n uint64) bool { return trials{float64(n), p}.logAtMost(c) <= limit }
	if units > maxUnits || !enough(longestLine) {
		return 0, false
	}
	low, high := uint64(0), uint64(1) // high is enough in the end, what is below low is not
	for !enough(high) {
		low, high = high+1, 2*high
	}
	for low < high {
		if middle := low + (high-low)/2; enough(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, true
}

// most is the highest n for which n people, each of whom takes one of so many units
// with probability p at most, take them all with a probability of at most e^limit.
// Without units, ok is false.
func most(units int, p, limit float64) (n uint64, ok bool) {
	if units < 1 || units > maxUnits {
		return 0, false
	}
	// All are taken when few enough of them take none.
	safe := func(n uint64) bool {
		return n < uint64(units) || trials{float64(n), 1 - p}.logAtMost(float64(n-uint64(units))) <= limit
	}
	low, high := uint64(units)-1, uint64(2*units) // low is safe, what is above high is not
	for high < longestLine && safe(high) {
		low, high = high, 2*high
	}
	for low < high {
		if middle := high - (high-low)/2; safe(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, true
}
