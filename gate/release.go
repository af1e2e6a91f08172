package gate

import (
	"context"
	"fmt"
)

// Release gives the units of a hold back. It reports whether there was a
// receipt to remove: its removal is the give-back, so a second call, and a call
// for a hold that never was, changes nothing. ErrClosed means that the gate
// cannot tell now; ask again later.
func (g *Gate) Release(ctx context.Context, hold string) (bool, error) {
	return g.release(ctx, "release", hold, "give")
}

// Drop removes the receipt of a hold that the ledger refused: the gate had
// leaked, there is no unit to give back, and none is.
func (g *Gate) Drop(ctx context.Context, hold string) (bool, error) {
	return g.release(ctx, "drop", hold, "drop")
}

func (g *Gate) release(ctx context.Context, action, hold, mode string) (removed bool, err error) {
	r, err := g.callAgain(ctx, scriptRelease, hold, mode)
	if err == nil {
		err = r.ok(&removed)
	}
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", action, hold, err)
	}
	return removed, nil
}

// Retake takes units for an order whose hold has ended and whose money came
// late. hold is the order's next hold id (see HoldID); no winner is appended,
// since the order exists, and no limit of units is asked for, since it kept to
// one. Taking the same hold twice takes once. It fails with ErrClosed, ErrSoldOut
// or an *AlreadyBoughtError.
func (g *Gate) Retake(ctx context.Context, r Receipt) error {
	answer, err := g.callAgain(ctx, scriptRetake, r.Hold, r.Account, r.Ticket, r.Qty)
	if err == nil {
		err = answer.ok()
	}
	if err != nil {
		return fmt.Errorf("retake %s: %w", r.Hold, err)
	}
	return nil
}
