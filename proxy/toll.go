package proxy

import (
	"net/netip"
	"time"
)

// toll is what one thing that requests do is paid with.
type toll struct{ address, device, account limit }

// payer is whom a request counts for.
type payer struct {
	addr            netip.Addr
	device, account string // empty: there is none
}

// excess is a request above a limit.
type excess struct {
	limit string        // its name in records
	retry time.Duration // until the next is allowed
}

// bucket is a limit's for one key.
type bucket struct {
	*limit
	key string // empty: none
}

// buckets are what one request is paid from. The account comes last: it may be anybody's
// word, and those who rotate it must not fill the table with more than the others let
// through.
type buckets [3]bucket

func (t *toll) of(address, device, account string) buckets {
	return buckets{{&t.address, address}, {&t.device, device}, {&t.account, account}}
}

// pay takes a token of each bucket, or, if one of them has none, of no bucket.
func (bs *buckets) pay(now time.Time) *excess {
	for i, b := range bs {
		if b.key == "" {
			continue
		}
		retry, ok := b.buckets.Allow(b.key, now)
		if ok {
			continue
		}
		giveBack(bs[:i], now)
		return &excess{limit: b.name, retry: max(retry, longest(bs[i+1:], now))}
	}
	return nil
}

// wait is how long it takes until pay lets through; it takes nothing.
func (bs *buckets) wait(now time.Time) time.Duration { return longest(bs[:], now) }

// giveBack takes back what pay took.
func (bs *buckets) giveBack(now time.Time) { giveBack(bs[:], now) }

func longest(some []bucket, now time.Time) (wait time.Duration) {
	for _, b := range some {
		if b.key != "" {
			wait = max(wait, b.buckets.Wait(b.key, now))
		}
	}
	return wait
}

func giveBack(some []bucket, now time.Time) {
	for _, b := range some {
		if b.key != "" {
			b.buckets.GiveBack(b.key, now)
		}
	}
}
