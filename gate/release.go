package gate

import (
	"context"
	"fmt"
)

// Release gives the units of an account's hold back. It reports whether there was a
// receipt to remove: its removal is the give-back, so a second call, and a call
// for a hold that never was, changes nothing. An empty account looks for it in
// every bucket. ErrClosed means that the gate cannot tell now; ask again later.
func (g *Gate) Release(ctx context.Context, account, hold string) (bool, error) {
	return g.release(ctx, "release", account, hold, "give")
}

// Drop removes the receipt of a hold that the ledger refused: the gate had
// leaked, there is no unit to give back, and none is.
func (g *Gate) Drop(ctx context.Context, account, hold string) (bool, error) {
	return g.release(ctx, "drop", account, hold, "drop")
}

func (g *Gate) release(ctx context.Context, action, account, hold, mode string) (removed bool, err error) {
	answers, err := g.each(ctx, g.homes(account), scriptRelease, hold, mode)
	var closed error
	for _, r := range answers {
		var here bool
		if no := r.ok(&here); no != nil {
			closed = no
		}
		removed = removed || here
	}
	if err == nil && !removed {
		err = closed // the bucket that could not tell may be the one
	}
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", action, hold, err)
	}
	return removed, nil
}

// Retake takes units for an order whose hold has ended and whose money came
// late. hold is the order's next hold id (see HoldID); no winner is appended,
// since the order exists, and no limit of units is asked for, since it kept to
// one. Taking the same hold twice takes once. It fails with ErrClosed, ErrSoldOut,
// ErrBusy or an *AlreadyBoughtError.
func (g *Gate) Retake(ctx context.Context, r Receipt) error {
	answer, _, err := g.take(ctx, taking{
		script: scriptRetake, account: r.Account, ticket: r.Ticket, qty: r.Qty,
		args: []any{r.Hold, r.Account, r.Ticket, r.Qty},
	})
	if err == nil {
		err = answer.ok()
	}
	if err != nil {
		return fmt.Errorf("retake %s: %w", r.Hold, err)
	}
	return nil
}
