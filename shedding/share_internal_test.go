package shedding

import (
	"math/rand/v2"
	"testing"
)

// However often one looks, the bounds hold all the time, in all but so many runs;
// also where the share drifts, of which they bound the mean.
func TestSharesHoldAtEveryLook(t *testing.T) {
	t.Parallel()
	const runs, trials, risk = 400, 4000, 0.05
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0.01, 0.2, 0.9} {
		for _, drifts := range []bool{false, true} {
			low, high := 0, 0
			for range runs {
				successes, sum, tooLow, tooHigh := 0., 0., false, false
				for n := 1.; n <= trials; n++ {
					p := share
					if drifts {
						p = share * (1.5 - n/trials) / 1.5
					}
					if sum += p; random.Float64() < p {
						successes++
					}
					if int(n)%20 == 0 {
						tooHigh = tooHigh || atLeast(n, successes, risk) > sum/n
						tooLow = tooLow || atMost(n, successes, risk) < sum/n
					}
				}
				high += boolean(tooHigh)
				low += boolean(tooLow)
			}
			if most := runs * risk; float64(max(low, high)) > most {
				t.Errorf("share %v, drifts %t: of %d runs %d were above and %d below at some time, want %v", share, drifts, runs, high, low, most)
			}
		}
	}
}

// They close in: after so many trials they are not far from the share.
func TestSharesCloseIn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ trials, successes, least, most float64 }{
		{0, 0, 0, 1}, {10, 0, 0, 1}, {100, 50, 0.25, 0.7}, {1000, 500, 0.42, 0.58}, {1000, 10, 0.001, 0.03}, {100_000, 1000, 0.0085, 0.0115}, {100, 100, 0.88, 1},
	} {
		least, most := atLeast(test.trials, test.successes, 0.00025), atMost(test.trials, test.successes, 0.05)
		if least < test.least || most > test.most || test.trials > 0 && (least > test.successes/test.trials || most < test.successes/test.trials) {
			t.Errorf("%v of %v: %.4f to %.4f, want %v to %v", test.successes, test.trials, least, most, test.least, test.most)
		}
	}
}
