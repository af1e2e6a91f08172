package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errNoUnit says that the books have no unit left for a move.
var errNoUnit = errors.New("no unit left in the books")

// move takes a locked order to where the cause leads, with its units and its
// journal row. It fails with errNoUnit when the stock does not allow it.
func (c conn) move(ctx context.Context, o *order, why cause, p payment) error {
	to, ok := o.Status.after(why)
	if !ok {
		return fmt.Errorf("move order %s: %s does not lead on from %s", o.ID, why, o.Status)
	}
	units := share(o.Status, to) * o.Qty
	if why == reheld {
		o.Holds++
		o.Released = time.Time{}
	}
	if p.ID != "" {
		o.Payment = p.ID
	}
	o.Status, o.Version = to, o.Version+1

	// Always in this order: order, journal, stock. The stock row is what all
	// share, so it is locked last and for the shortest time.
	_, err := c.exec(ctx, `UPDATE sale_orders SET status = $2, version = $3, holds = $4, payment_id = $5,
		released_at = CASE WHEN $6 THEN NULL ELSE released_at END WHERE reservation_id = $1`,
		o.ID, string(o.Status), o.Version, o.Holds, nullable(o.Payment), why == reheld)
	if err != nil {
		return fmt.Errorf("move order %s: %w", o.ID, err)
	}
	if err := c.write(ctx, entry{Sale: o.Sale, Reservation: o.ID, Cause: string(why), Units: units, Payment: p}); err != nil {
		return err
	}
	return c.take(ctx, o.Sale, units)
}

// take adds units (negative: gives them back) to what is sold.
func (c conn) take(ctx context.Context, sale string, units int) error {
	if units == 0 {
		return nil
	}
	n, err := c.exec(ctx, `UPDATE sale_stock SET sold = sold + $2 WHERE sale = $1 AND sold + $2 <= total`, sale, units)
	if err != nil {
		return fmt.Errorf("take %d of %s: %w", units, sale, err)
	}
	if n == 0 {
		return errNoUnit
	}
	return nil
}
