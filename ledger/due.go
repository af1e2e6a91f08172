package ledger

import (
	"context"
	"database/sql"
	"errors"
)

// refundLate puts the money for an ended order into the outbox and lets its
// shopper know.
func (c conn) refundLate(ctx context.Context, o order, p payment) error {
	_, err := c.exec(ctx, `UPDATE sale_orders SET refund_due = true, version = version + 1 WHERE reservation_id = $1`, o.ID)
	if err != nil {
		return err
	}
	return c.refund(ctx, o.Sale, p, "late payment")
}

// refundRefused does so for a winner that was refused.
func (c conn) refundRefused(ctx context.Context, p payment) error {
	var sale string
	err := c.row(ctx, `UPDATE refusals SET refund_due = true, version = version + 1
		WHERE reservation_id = $1 RETURNING sale`, p.Reservation).Scan(&sale)
	if errors.Is(err, sql.ErrNoRows) {
		return errUnknown
	}
	if err != nil {
		return err
	}
	return c.refund(ctx, sale, p, "refused")
}

// refund puts a claimed payment into the outbox.
func (c conn) refund(ctx context.Context, sale string, p payment, why string) error {
	_, err := c.exec(ctx, `UPDATE payments SET outcome = 'refund_due' WHERE payment_id = $1`, p.ID)
	if err != nil {
		return err
	}
	_, err = c.exec(ctx, `INSERT INTO refunds (payment_id, reservation_id, sale, amount, currency, reason)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		p.ID, p.Reservation, sale, nullable(p.Amount), nullable(p.Currency), why)
	if err != nil {
		return err
	}
	return c.write(ctx, entry{Sale: sale, Reservation: p.Reservation, Cause: "refund_due", Payment: p})
}
