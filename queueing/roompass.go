package queueing

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Claim asks for the pass of a place that waited: [ErrNotCalled] while the head
// is not beyond it, [*WaitError] while there is no token or no seat, [ErrPaused].
// A turn that was missed is kept.
//
// In a room with a bound asking again while the pass lives gives it again, as it
// was last renewed. Without a bound nothing is kept of a pass, and asking again
// takes another token.
func (r *Room) Claim(ctx context.Context, place uint64) (Claim, error) {
	c, err := r.claims.one(ctx, turn{number: place})
	if err != nil {
		return Claim{}, err
	}
	return c.Claim, c.err
}

func (r *Room) claim(ctx context.Context, turns []turn) ([]claimed, error) {
	args := make([]any, len(turns), len(turns)+2)
	for i, t := range turns {
		args[i] = t.number
	}
	fields, err := r.callAgain(ctx, scriptRoomClaim, r.args(args...)...)
	if err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	return r.readClaims(fields, len(turns))
}

// Renew notes that the pass of a place now expires at that time. It makes no
// call: the next ticks tell Redis. Best noted with every request in the room,
// also where passes are fixed: a seat that Redis forgot is taken again, so that
// the bound recovers. Without a bound there is nothing to note.
func (r *Room) Renew(place uint64, expires time.Time) {
	if r.room.MaxActive > 0 {
		r.renewals.note(place, expires)
	}
}

// Release ends the stay of a place: its seat is free at once. Requests in its
// pass that are still under way do not take the seat again. Releasing again, or
// one who never had a seat, changes nothing. If it cannot be told to Redis, the
// seat is free when its pass would have ended.
func (r *Room) Release(ctx context.Context, place uint64) error {
	if r.room.MaxActive == 0 {
		return nil
	}
	r.renewals.drop(place)
	fields, err := r.callAgain(ctx, scriptRelease, r.args(place)...)
	if err == nil {
		err = fields.scan("done")
	}
	if err != nil {
		return fmt.Errorf("release pass: %w", err)
	}
	return nil
}

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
