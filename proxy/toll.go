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

// pay takes a token of each key's bucket, or, if one of them has none, of no bucket.
// The account comes last: it may be anybody's word, and those who rotate it must not
// fill the table with more than the others let through.
func (t *toll) pay(address, device, account string, now time.Time) *excess {
	buckets := [...]struct {
		*limit
		key string
	}{{&t.address, address}, {&t.device, device}, {&t.account, account}}
	for i, b := range buckets {
		if b.key == "" {
			continue
		}
		retry, ok := b.buckets.Allow(b.key, now)
		if ok {
			continue
		}
		for _, paid := range buckets[:i] {
			if paid.key != "" {
				paid.buckets.GiveBack(paid.key, now)
			}
		}
		for _, next := range buckets[i+1:] {
			if next.key != "" {
				retry = max(retry, next.buckets.Wait(next.key, now))
			}
		}
		return &excess{limit: b.name, retry: retry}
	}
	return nil
}

// wait is how long it takes until pay lets through; it takes nothing.
func (t *toll) wait(address, device, account string, now time.Time) (wait time.Duration) {
	for _, b := range [...]struct {
		*limit
		key string
	}{{&t.address, address}, {&t.device, device}, {&t.account, account}} {
		if b.key != "" {
			wait = max(wait, b.buckets.Wait(b.key, now))
		}
	}
	return wait
}
