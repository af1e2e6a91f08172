package certs

import "time"

// A rhythm is how often a keeper does what it does; tests have a faster one.
type rhythm struct {
	look   time.Duration // at what certmagic has renewed
	retry  time.Duration // what failed: ordering
	reread time.Duration // what is stored, where that could not be read
	renew  time.Duration // certmagic's look at what is to be renewed
	settle time.Duration // until files that change are read
	patrol time.Duration // files are read, whatever the file system tells
	lease  time.Duration // of a lock in Redis
	stop   time.Duration // at most, for orders and locks when a keeper stops
	epoch  time.Duration // for which one key seals session tickets
	tell   time.Duration // between two questions for the shared keys
}

func usual() rhythm {
	return rhythm{
		look: 10 * time.Second, retry: time.Minute, reread: 5 * time.Second, renew: 10 * time.Minute,
		settle: 500 * time.Millisecond, patrol: time.Minute,
		lease: lockLease, stop: 5 * time.Second,
		epoch: 6 * time.Hour, tell: time.Minute,
	}
}
