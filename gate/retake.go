package gate

import (
	"context"
	"fmt"
)

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
