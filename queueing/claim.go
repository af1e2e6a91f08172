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
	Expires  time.Time // ten to twenty minutes after the first claim; where passes are matched to units, one
	Again    bool      // granted before: the same pass, no token taken
}

// Claim asks for the pass of a turn: [ErrNotCalled] while the head is not
// beyond its place, [*WaitError] while the bucket is empty, [ErrPaused],
// [ErrNotOpen] before the draw, [ErrEnded] from closing on. A turn that was
// missed is kept. Asking again while a pass lives gives the same pass. Claims
// that arrive together share one call, as entries do.
//
// That of an invitation has come with the opening; its pass is from the same bucket.
//
// Where passes are matched to units, [*WaitError] also says that no unit is free:
// whatever is left has somebody with a pass who may still buy it. Who lets a pass
// end, or has spent it, stands back for a minute while others wait.
func (l *Line) Claim(ctx context.Context, t Turn) (Claim, error) {
	if t.Place > math.MaxUint32 {
		return Claim{}, ErrNotCalled // a bitmap of Redis ends there
	}
	c, err := l.claims.one(ctx, t)
	if err != nil {
		return Claim{}, err
	}
	return c.Claim, c.err
}

// WaitError says that the turn has come but the bucket is empty, or no unit is free.
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
func (l *Line) claim(ctx context.Context, turns []Turn) ([]claimed, error) {
	script, args := scriptClaim, []any{generation.Microseconds()}
	if l.matched {
		script, args = scriptUnitClaim, l.unitArgs()
	}
	for _, t := range turns {
		args = append(args, t.arg())
	}
	r, err := l.callAgain(ctx, script, args...)
	if err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	return l.readClaims(r, len(turns))
}

// readClaims reads what answer in lua/line.lua says to n claims.
func (s *store) readClaims(r reply, n int) (out []claimed, err error) {
	var seen remembered
	cut := claimFields * n
	if len(r) < cut {
		return nil, fmt.Errorf("claim pass: %d fields for %d claims", len(r), n)
	}
	if err := r[cut:].scan(seen.fields()...); err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	s.memory.learn(seen)
	out = make([]claimed, n)
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
