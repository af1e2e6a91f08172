package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// cancel takes an unpaid order back for the storefront. An order that has ended
// stays as it is; a paid one fails with errOrderPaid.
func (b *Books) cancel(ctx context.Context, reservation string) (o order, err error) {
	err = b.inTx(ctx, func(c conn) error {
		var ok bool
		if o, ok, err = c.lockOrder(ctx, reservation); err != nil {
			return err
		}
		switch {
		case !ok:
			return errUnknown
		case o.Status == Paid:
			return errOrderPaid
		case o.Status == Pending:
			return c.move(ctx, &o, cancelled, payment{})
		default:
			return nil
		}
	})
	if err != nil {
		return order{}, fmt.Errorf("cancel %s: %w", reservation, err)
	}
	return o, nil
}

// cancel ends an unpaid order, gives its units back and says how it stands now.
func (w *Worker) cancel(ctx context.Context, reservation string) (gate.Status, error) {
	o, err := w.books.cancel(ctx, reservation)
	if errors.Is(err, errUnknown) {
		s, err := w.unwritten(ctx, reservation)
		if err == nil && s == gate.Finishing {
			err = errNotWritten
		}
		return s, err
	}
	if err != nil {
		return "", err
	}
	if o.Released.IsZero() {
		w.complain(ctx, "release order", w.release(ctx, o)) // the sweeper goes on
	}
	w.complain(ctx, "tell shoppers", w.tellOne(ctx, reservation))
	return o.note().Status, nil
}
