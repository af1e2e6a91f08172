package shedding

import (
	"hash/maphash"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// Limiter caps how often each key may act: one token bucket a key, in bounded
// memory, about 150 bytes a key.
//
// A key that is not known begins with a full bucket, and one whose bucket is full
// again is forgotten, which changes nothing. When all keys that fit are in use, a
// new one takes the place of that of a few which has most left, so that whoever
// hammers stays known longest. What is forgotten then begins anew, and beginning is
// what is limited: those who are of a kind (see NewAddressLimiter) begin as often as
// crowdSize keys could use a bucket up. So cycling over more keys than fit frees
// nobody, and newcomers who are not of the flood's kind do not notice it.
//
// Keys are kept as 64-bit hashes under a seed of this process, so that long
// ones cost no more and account names stay out of memory. Among a million keys
// the chance that any two share a bucket is below one in ten million.
//
// A nil Limiter allows everything. It is safe for concurrent use.
type Limiter struct {
	rule rule
	seed maphash.Seed
	keys table // one bucket a key
	kind func(key string) string

	// What newcomers take of while there is no room: tokens are keys that begin, and
	// kinds share the buckets by their hash.
	begin  rule
	kinds  table
	shared uint64
}

const (
	crowdSize = 256 // as many as a /24 has addresses
	perShared = 8   // keys for each bucket that newcomers share
)

// NewLimiter makes a limiter that allows each key bursts of up to burst and
// limit.Rate in the long run, and keeps at most keys keys; both numbers are at
// least 1. It is nil, which allows everything, when the limit is off or names
// no rate.
func NewLimiter(limit configs.Limit, burst, keys int) *Limiter {
	return newLimiter(limit, burst, keys, maxPenalty, ownKind)
}

// NewAddressLimiter is NewLimiter for the keys that AddressKey gives: of a kind are
// those of one block, as BlockKey names it.
func NewAddressLimiter(limit configs.Limit, burst, keys int) *Limiter {
	return newLimiter(limit, burst, keys, maxPenalty, blockOf)
}

// NewCap is NewLimiter for what is given out: refused attempts never cost anything.
func NewCap(limit configs.Limit, burst, keys int) *Limiter {
	return newLimiter(limit, burst, keys, 0, ownKind)
}

// ownKind is the kind of a key that is like no other.
func ownKind(key string) string { return key }

func newLimiter(limit configs.Limit, burst, keys int, penalty time.Duration, kind func(string) string) *Limiter {
	if limit.Off || limit == (configs.Limit{}) {
		return nil
	}
	r := newRule(limit.Rate.PerSecond(), burst, penalty)
	shared := max(keys/perShared, 1)
	return &Limiter{
		rule: r, seed: maphash.MakeSeed(), keys: newTable(keys), kind: kind,
		begin: r.beginning(crowdSize), kinds: newTable(shared), shared: uint64(shared),
	}
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
	s := l.keys.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.instant(now)
	b := s.index[hash]
	if b == nil {
		if s.forget(l.rule, now, looks); s.full() {
			if retry, ok := l.mayBegin(key, now); !ok {
				return retry, false
			}
			s.forgetOne(now)
		}
		b = s.add(l.rule, hash)
	}
	return b.take(l.rule, now)
}

// mayBegin takes what it costs to begin while there is no room.
func (l *Limiter) mayBegin(key string, now time.Time) (retry time.Duration, ok bool) {
	hash := maphash.String(l.seed, l.kind(key)) % l.shared
	s := l.kinds.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.instant(now)
	b := s.index[hash]
	if b == nil {
		s.forget(l.begin, now, looks)
		b = s.add(l.begin, hash) // there are never more of them than hashes
	}
	return b.take(l.begin, now)
}

// Wait is how long the key's bucket needs until it has a token; it takes none.
func (l *Limiter) Wait(key string, now time.Time) time.Duration {
	if l == nil {
		return 0
	}
	hash := maphash.String(l.seed, key)
	s := l.keys.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.index[hash]
	if b == nil {
		return 0
	}
	return max(0, l.rule.wait(b.tokens.TokensAt(s.instant(now))))
}

// GiveBack returns a token that Allow took for a key and that was not used.
func (l *Limiter) GiveBack(key string, now time.Time) {
	if l == nil {
		return
	}
	hash := maphash.String(l.seed, key)
	s := l.keys.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.index[hash]; b != nil { // else it is full
		b.giveBack(s.instant(now))
	}
}

// Sweep forgets some of the keys whose bucket is full again. New keys make room by
// themselves; whoever owns the limiter sweeps it now and then, a hundred times for
// all of it, so that memory comes back after a flood though nobody comes.
func (l *Limiter) Sweep(now time.Time) {
	if l == nil {
		return
	}
	l.keys.sweep(l.rule, now)
	l.kinds.sweep(l.begin, now)
}

// Len is the number of buckets that are kept now.
func (l *Limiter) Len() int {
	if l == nil {
		return 0
	}
	return l.keys.len() + l.kinds.len()
}
