package queueing

import (
	"context"
	"fmt"
	"time"
)

// Claim asks for the pass of a ticket that waited: [ErrNotCalled] while the head
// is not beyond its place, [*WaitError] while there is no token or no seat,
// [ErrPaused]. A turn that was missed is kept.
//
// A ticket brings in one pass. Asking again while that lives costs nothing and
// gives the same, in a room with a bound as it was last renewed. If it was
// released, there is no other: [ErrLeft].
func (r *Room) Claim(ctx context.Context, place uint64, id [8]byte) (Claim, error) {
	c, err := r.claims.one(ctx, visitor{place, id})
	if err != nil {
		return Claim{}, err
	}
	return c.Claim, c.err
}

// visitor is who claims a room's pass.
type visitor struct {
	place uint64
	id    [8]byte // of the ticket
}

func (r *Room) claim(ctx context.Context, visitors []visitor) ([]claimed, error) {
	args := make([]any, len(visitors))
	for i, v := range visitors {
		args[i] = fmt.Sprintf("%d:%x", v.place, v.id)
	}
	fields, err := r.callAgain(ctx, scriptRoomClaim, r.args(args...)...)
	if err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	return r.readClaims(fields, len(visitors))
}

// Renew notes that a pass was shown and when it ends. It makes no call: a next tick
// tells Redis what it does not know. To be noted with every request in the room,
// also where passes are fixed: a seat lasts for a minute, or the pass's life if
// that is shorter, until its pass was shown once. One that Redis forgot is taken
// again, so that the bound recovers. Without a bound there is nothing to note.
func (r *Room) Renew(id [8]byte, expires time.Time) {
	if r.bound > 0 {
		r.stays.renew(id, expires)
	}
}

// Release ends the stay of a pass. It makes no call: a next tick tells Redis, within
// a second even of ten thousand, and the seat is free then. Requests in that pass
// that are still under way do not take the seat again. Releasing again, or one that
// never had a seat, changes nothing. If it cannot be told to Redis, the seat is free
// when the pass would have ended.
func (r *Room) Release(id [8]byte) {
	r.stays.release(id, r.life+grace)
}

// grace is for how long a seat outlives its pass.
const grace = 5 * time.Second

// Left reports whether a pass was released: here, or on another edge that has told
// Redis before the last tick. Such a pass is worth nothing any more, and must not
// be signed anew. It is known as long as the pass could live, of the last 65,536.
func (r *Room) Left(id [8]byte) bool { return r.stays.hasLeft(id) }
