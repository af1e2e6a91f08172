package queueing

import (
	"context"
	"fmt"
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
	c, err := r.claims.one(ctx, place)
	if err != nil {
		return Claim{}, err
	}
	return c.Claim, c.err
}

func (r *Room) claim(ctx context.Context, places []uint64) ([]claimed, error) {
	args := make([]any, len(places))
	for i, place := range places {
		args[i] = place
	}
	fields, err := r.callAgain(ctx, scriptRoomClaim, r.args(args...)...)
	if err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	return r.readClaims(fields, len(places))
}

// Renew notes that the pass of a place now expires at that time. It makes no
// call: the next ticks tell Redis. Best noted with every request in the room,
// also where passes are fixed: a seat that Redis forgot is taken again, so that
// the bound recovers. Without a bound there is nothing to note.
func (r *Room) Renew(place uint64, expires time.Time) {
	if r.bound > 0 {
		r.renewals.note(place, expires)
	}
}

// Release ends the stay of a place: its seat is free at once. Requests in its
// pass that are still under way do not take the seat again. Releasing again, or
// one who never had a seat, changes nothing. If it cannot be told to Redis, the
// seat is free when its pass would have ended.
func (r *Room) Release(ctx context.Context, place uint64) error {
	if r.bound == 0 {
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
