package shedding

import (
	"sync"
	"time"
)

const (
	maxShards   = 64  // locks among which the keys are divided
	minPerShard = 256 // below it a shard's own bound would fill too unevenly
	looks       = 4   // at buckets that may be full again, before one is added
	minShrunk   = 64  // below it a smaller shard saves nothing
	stale       = time.Second
)

// table is a bounded number of buckets, by the hash of their key.
type table struct{ shards []shard }

func newTable(keys int) table {
	count := min(max(keys/minPerShard, 1), maxShards)
	t := table{shards: make([]shard, count)}
	for i := range t.shards {
		t.shards[i].index = map[uint64]*bucket{}
		t.shards[i].most = max((keys+count-1)/count, 1)
	}
	return t
}

func (t *table) shard(hash uint64) *shard { return &t.shards[hash%uint64(len(t.shards))] }

func (t *table) sweep(r rule, now time.Time) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		s.forget(r, s.instant(now), max(looks, s.most/100+1))
		s.mu.Unlock()
	}
}

func (t *table) len() (n int) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.ring)
		s.mu.Unlock()
	}
	return n
}

// shard is a part of a table under one lock.
type shard struct {
	mu     sync.Mutex
	index  map[uint64]*bucket
	ring   []*bucket // the same, round which the hand goes
	hand   int
	most   int // buckets that fit
	latest time.Time
}

// instant is now, or the latest instant that was seen here if that is a moment
// later: callers do not arrive in the order in which they read the clock, and a
// bucket that went back with each late one would refill twice. A clock that is
// further behind has been set back.
func (s *shard) instant(now time.Time) time.Time {
	if late := s.latest.Sub(now); late > 0 && late < stale {
		return s.latest
	}
	s.latest = now
	return now
}

func (s *shard) full() bool { return len(s.ring) >= s.most }

// add puts a bucket anywhere on the ring, or those of one crowd would be looked at
// together.
func (s *shard) add(r rule, hash uint64) *bucket {
	b := r.newBucket(hash)
	s.index[hash] = b
	s.ring = append(s.ring, b)
	last, at := len(s.ring)-1, (hash>>32)%uint64(len(s.ring))
	s.ring[last], s.ring[at] = s.ring[at], b
	return b
}

// forget looks at so many buckets and drops those that are full again.
func (s *shard) forget(r rule, now time.Time, many int) {
	for range min(many, len(s.ring)) {
		s.hand++
		if s.hand >= len(s.ring) {
			s.hand = 0
		}
		if s.ring[s.hand].full(r, now) {
			s.drop(s.hand)
		}
	}
}

// forgetOne drops, of the few that forget has just looked at, the one that has most
// left.
func (s *shard) forgetOne(now time.Time) {
	at, most := s.hand, s.ring[s.hand].tokens.TokensAt(now)
	for i := 1; i < min(looks, len(s.ring)); i++ {
		before := (s.hand - i + len(s.ring)) % len(s.ring)
		if left := s.ring[before].tokens.TokensAt(now); left > most {
			at, most = before, left
		}
	}
	s.drop(at)
}

// drop removes a bucket. Neither a map nor a slice gets smaller by itself.
func (s *shard) drop(at int) {
	last := len(s.ring) - 1
	delete(s.index, s.ring[at].hash)
	s.ring[at], s.ring[last] = s.ring[last], nil
	s.ring = s.ring[:last]
	if cap(s.ring) < minShrunk || last > cap(s.ring)/4 {
		return
	}
	s.ring = append(make([]*bucket, 0, 2*last), s.ring...)
	s.index = make(map[uint64]*bucket, 2*last)
	for _, b := range s.ring {
		s.index[b.hash] = b
	}
}
