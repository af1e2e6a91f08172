package shedding

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// maxPenalty bounds what hammering adds to a key's wait.
const maxPenalty = 2 * time.Second

// rule is what all buckets of a limiter have in common.
type rule struct {
	limit     rate.Limit // tokens a second
	burst     int        // tokens a full bucket holds
	overdraft int        // tokens that hammering can cost before the next yes
}

func newRule(perSecond float64, burst int) rule {
	burst = max(burst, 1)
	overdraft := min(perSecond*maxPenalty.Seconds(), float64(burst))
	return rule{limit: rate.Limit(perSecond), burst: burst, overdraft: int(overdraft)}
}

// bucket is one key's token bucket.
type bucket struct {
	tokens  *rate.Limiter
	refused int // times since the last yes
}

func (r rule) newBucket() *bucket {
	return &bucket{tokens: rate.NewLimiter(r.limit, r.burst)}
}

// take asks for one token. The first refusal after a yes is free and tells the
// wait; each of the next overdraft attempts comes too early and costs a token
// that is not there yet; those after them are free again, so that a wait which
// was told stands even while somebody else hammers on the same key.
//
// Reserving always moves the bucket's own clock to now. Merely asking would
// not, and after a step backwards an empty bucket would refill only once the
// clock had come back to where it was.
func (b *bucket) take(r rule, now time.Time) (retry time.Duration, ok bool) {
	reservation := b.tokens.ReserveN(now, 1)
	if reservation.DelayFrom(now) == 0 {
		b.refused = 0
		return 0, true
	}
	if b.refused == 0 || b.refused > r.overdraft {
		reservation.CancelAt(now)
	}
	b.refused++
	return r.wait(b.tokens.TokensAt(now)), false
}

// wait is how long a bucket with so many tokens, possibly fewer than none,
// takes to hold a whole one.
func (r rule) wait(tokens float64) time.Duration {
	nanos := (1 - tokens) / float64(r.limit) * float64(time.Second)
	if nanos >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(nanos)
}

// full reports whether the bucket is as good as a new one.
func (b *bucket) full(r rule, now time.Time) bool {
	return b.tokens.TokensAt(now) >= float64(r.burst)
}
