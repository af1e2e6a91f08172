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

// newRule is one under which hammering adds at most a penalty to a wait.
func newRule(perSecond float64, burst int, penalty time.Duration) rule {
	burst = max(burst, 1)
	overdraft := min(perSecond*penalty.Seconds(), float64(burst))
	return rule{limit: rate.Limit(perSecond), burst: burst, overdraft: int(overdraft)}
}

// beginning is the rule for buckets of this rule, as tokens: as many as there are
// keys may begin at once, and again once they could be used up and full again.
func (r rule) beginning(keys int) rule {
	return rule{limit: r.limit * rate.Limit(keys) / rate.Limit(r.burst), burst: keys}
}

// bucket is one key's token bucket, in 96 bytes.
type bucket struct {
	tokens  rate.Limiter
	hash    uint64 // of the key
	refused int    // times since the last yes
}

// newBucket makes a full bucket: one of which the zero value has been filled since
// the year 1.
func (r rule) newBucket(hash uint64) *bucket {
	b := &bucket{hash: hash}
	b.tokens.SetLimitAt(time.Time{}, r.limit)
	b.tokens.SetBurstAt(time.Time{}, r.burst)
	return b
}

// take asks for one token. The first refusal after a yes is free and tells the
// wait; each of the next overdraft attempts comes too early and costs a token
// that is not there yet; those after them are free again, so that who hammers for
// long does not wait for ever. None is kept for who waits as told: whoever comes
// first takes it, which beside somebody who hammers on the same key is hardly ever
// the one who waits.
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

// giveBack returns a token that take took.
func (b *bucket) giveBack(now time.Time) { b.tokens.AllowN(now, -1) }

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
