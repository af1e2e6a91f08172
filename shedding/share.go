package shedding

import "math"

// What is learned of a share is a bound that holds at every moment at once, with
// the stated error over the whole sale, however often one looks. For any λ,
//
//	exp(λS - Σ ln(1 - p + p e^λ))
//
// over trials with successes S, each of which succeeds with a probability p that
// may depend on all before it, is a martingale that begins at 1; so it ever
// reaches K/risk with a probability of at most risk/K (Ville, 1939). By K values
// of λ, and because the logarithm is concave, the mean of p is bounded below for
// λ > 0 and above for λ < 0. Where S counts too few, the lower bound holds, and
// where it counts too many the upper one does.

// steps is how many values of λ there are: from 1/64 to 4, each √2 times the one
// before. Small ones are sharp for many trials, large ones for few.
const steps = 17

func step(i int) (λ float64) { return math.Exp2(float64(i)/2 - 6) }

// atLeast is a lower bound of a share: so many trials, and successes of them or of
// no others, at least.
func atLeast(trials, successes, risk float64) (share float64) {
	if !(trials > 0 && successes > 0) {
		return 0
	}
	successes = min(successes, trials)
	doubt := math.Log(steps / risk)
	for i := range steps {
		λ := step(i)
		share = max(share, math.Expm1((λ*successes-doubt)/trials)/math.Expm1(λ))
	}
	return min(share, 1)
}

// atMost is an upper bound of a share: so many trials, and successes of them at
// most.
func atMost(trials, successes, risk float64) float64 {
	share := 1.0
	if !(trials > 0) {
		return share
	}
	doubt := math.Log(steps / risk)
	for i := range steps {
		λ := step(i)
		share = min(share, math.Expm1(-(λ*successes+doubt)/trials)/math.Expm1(-λ))
	}
	return share
}
