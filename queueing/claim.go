package queueing

import (
	"context"
	"fmt"
	"math"
	"time"
)

// generation is a span in which passes are given that end together: each lives
// to the end of the next span, so for one to two of them.
const generation = 10 * time.Minute

// maxClaims is the most claims of one call: Redis does nothing else meanwhile.
const maxClaims = 500

// Claim is a pass that was granted.
type Claim struct {
	// Admitted is the moment of the claim; of a repeated one, the beginning of
	// the ten minutes in which the first was made.
	Admitted time.Time
	Expires  time.Time // ten to twenty minutes after the first claim
	Again    bool      // granted before: the same pass, no token taken
}

// Claim asks for the pass of a place: [ErrNotCalled] while the head is not
// beyond it, [*WaitError] while the bucket is empty, [ErrPaused], [ErrNotOpen]
// before the draw, [ErrEnded] from closing on. A turn that was missed is kept.
// Asking again while a pass lives gives the same pass. Claims that arrive
// together share one call, as entries do.
func (l *Line) Claim(ctx context.Context, place uint64) (Claim, error) {
	if place > math.MaxUint32 {
		return Claim{}, ErrNotCalled // a bitmap of Redis ends there
	}
	c, err := l.claims.one(ctx, place)
	if err != nil {
		return Claim{}, err
	}
	return c.Claim, c.err
}

// WaitError says that the place was called but the bucket is empty.
type WaitError struct {
	Retry time.Duration // when to ask again: a second at least, a token's time at slow rates
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("no pass free, ask again in %v", e.Retry)
}

// claimed is what became of one of the claims of a call.
type claimed struct {
	Claim
	err error
}

// claim asks for many passes at once; the bucket serves them in that order.
func (l *Line) claim(ctx context.Context, places []uint64) ([]claimed, error) {
	args := make([]any, 0, len(places)+1)
	args = append(args, generation.Microseconds())
	for _, place := range places {
		args = append(args, place)
	}
	r, err := l.callAgain(ctx, scriptClaim, args...)
	if err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	if len(r) != claimFields*len(places)+1 {
		return nil, fmt.Errorf("claim pass: %d fields for %d claims", len(r), len(places))
	}
	var passes int64
	if err := r[len(r)-1:].scan(&passes); err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	l.memory.count(passes)
	out := make([]claimed, len(places))
	for i := range out {
		if out[i], err = readClaim(r[claimFields*i : claimFields*(i+1)]); err != nil {
			return nil, fmt.Errorf("claim pass: %w", err)
		}
	}
	return out, nil
}

// claimFields is how many fields answer one claim.
const claimFields = 4

func readClaim(r reply) (c claimed, err error) {
	if c.err = refusal(r); c.err != nil {
		return c, nil
	}
	err = r.scan("pass", &c.Admitted, &c.Expires, &c.Again)
	return c, err
}
