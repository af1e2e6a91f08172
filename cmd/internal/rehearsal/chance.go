package rehearsal

import (
	"math/rand/v2"
	"time"
)

// chance is all that is left to it. What is drawn depends on the seed and on the
// order of asking alone.
type chance struct{ *rand.Rand }

func newChance(seed uint64) chance {
	return chance{rand.New(rand.NewPCG(seed, seed^0x77616974726f6f6d))}
}

// of is true for a share of those who ask.
func (c chance) of(share float64) bool { return c.Float64() < share }

// upTo is a duration between nothing and d, each as likely.
func (c chance) upTo(d time.Duration) time.Duration {
	return time.Duration(c.Float64() * float64(d))
}

// mean is an exponential duration, d on average.
func (c chance) mean(d time.Duration) time.Duration {
	return time.Duration(c.ExpFloat64() * float64(d))
}
