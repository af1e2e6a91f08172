package shedding

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/waitroom/waitroom/configs"
)

const (
	maxShards   = 16  // locks among which the keys are divided
	minPerShard = 256 // below it a shard's own bound would forget too unevenly
)

// Limiter caps how often each key may act: one token bucket a key, in bounded
// memory, about 256 bytes a key.
//
// A key that is not known begins with a full bucket. Keys are forgotten when
// their bucket is full again, which changes nothing, and beyond the bound the
// one that was used longest ago, which gives it a full bucket early: forgetting
// is always in the key's favour. New keys are limited like old ones, however
// many there are.
//
// Keys are kept as 64-bit hashes under a seed of this process, so that long
// ones cost no more and account names stay out of memory. Among a million keys
// the chance that any two share a bucket is below one in ten million.
//
// A nil Limiter allows everything. It is safe for concurrent use.
type Limiter struct {
	rule   rule
	seed   maphash.Seed
	shards []shard
}

// shard is a part of the keys under one lock.
type shard struct {
	mu      sync.Mutex
	buckets *simplelru.LRU[uint64, *bucket]
}

// NewLimiter makes a limiter that allows each key bursts of up to burst and
// limit.Rate in the long run, and keeps at most keys keys; both numbers are at
// least 1. It is nil, which allows everything, when the limit is off or names
// no rate.
func NewLimiter(limit configs.Limit, burst, keys int) *Limiter {
	if limit.Off || limit == (configs.Limit{}) {
		return nil
	}
	count := min(max(keys/minPerShard, 1), maxShards)
	l := &Limiter{
		rule:   newRule(limit.Rate.PerSecond(), burst),
		seed:   maphash.MakeSeed(),
		shards: make([]shard, count),
	}
	for i := range l.shards {
		// The only fault is a size below 1.
		l.shards[i].buckets, _ = simplelru.NewLRU[uint64, *bucket](max(keys/count, 1), nil)
	}
	return l
}

// Allow takes one token of the key's bucket at the instant now. When there is
// none, retry is how long the bucket needs until it has one, if the key stays
// quiet: never more than the wait there really is.
//
// A refused key that keeps asking before its time overdraws its bucket, by at
// most two seconds' worth; one that waits as told is served exactly as by
// rate.Limiter. A clock that steps backwards takes nothing away and refills
// nothing; one that steps forwards refills at most the burst.
func (l *Limiter) Allow(key string, now time.Time) (retry time.Duration, ok bool) {
	if l == nil {
		return 0, true
	}
	hash := maphash.String(l.seed, key)
	s := &l.shards[hash%uint64(len(l.shards))]

	s.mu.Lock()
	defer s.mu.Unlock()

	b, known := s.buckets.Get(hash)
	if !known {
		b = l.rule.newBucket()
		s.buckets.Add(hash, b)
	}
	s.forget(l.rule, now)
	return b.take(l.rule, now)
}

// forget drops up to two of the oldest keys whose bucket is full again: one
// more than a call can add, so that memory comes back after a flood without a
// goroutine that sweeps. The newest key, whose call this is, always stays.
func (s *shard) forget(r rule, now time.Time) {
	for range 2 {
		_, oldest, _ := s.buckets.GetOldest()
		if s.buckets.Len() == 1 || !oldest.full(r, now) {
			return
		}
		s.buckets.RemoveOldest()
	}
}

// Len is the number of keys that are kept now.
func (l *Limiter) Len() int {
	if l == nil {
		return 0
	}
	total := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		total += s.buckets.Len()
		s.mu.Unlock()
	}
	return total
}
