package queueing

import (
	"sync"
	"time"
)

const (
	renewalsKept = 1 << 16 // of an edge that cannot tell Redis, about 3 MB
	renewalsTold = 2000    // with one tick
)

// renewals are the passes whose ends Redis has not been told yet. What finds no
// space is lost until that shopper's next request.
type renewals struct {
	mu      sync.Mutex
	pending map[uint64]time.Time
}

func newRenewals() *renewals { return &renewals{pending: map[uint64]time.Time{}} }

func (n *renewals) note(place uint64, expires time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	last, known := n.pending[place]
	if known && !last.Before(expires) || !known && len(n.pending) >= renewalsKept {
		return
	}
	n.pending[place] = expires
}

func (n *renewals) drop(place uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.pending, place)
}

// take gives what one tick tells.
func (n *renewals) take() map[uint64]time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.pending) <= renewalsTold {
		told := n.pending
		n.pending = map[uint64]time.Time{}
		return told
	}
	told := make(map[uint64]time.Time, renewalsTold)
	for place, expires := range n.pending {
		told[place] = expires
		delete(n.pending, place)
		if len(told) == renewalsTold {
			break
		}
	}
	return told
}

// putBack is for a tick that failed: telling twice is harmless.
func (n *renewals) putBack(told map[uint64]time.Time) {
	for place, expires := range told {
		n.note(place, expires)
	}
}
