package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Why money is due back.
const (
	reasonSecond  = "second payment"
	reasonLate    = "late payment"
	reasonWrong   = "wrong amount"
	reasonRefused = "refused"
	reasonLost    = "order lost"
)

// refund is money that is due back. Its JSON is the same at every attempt, for it
// goes out under one key.
type refund struct {
	Payment     string `json:"payment_id"`
	Reservation string `json:"reservation"`
	Sale        string `json:"sale"`
	Amount      string `json:"amount,omitempty"`
	Currency    string `json:"currency,omitempty"`
	Reason      string `json:"reason"`
	attempt     int
}

func scanRefund(scan func(...any) error) (refund, error) {
	var r refund
	err := scan(&r.Payment, &r.Reservation, &r.Sale, &r.Amount, &r.Currency, &r.Reason, &r.attempt)
	r.Amount = plainAmount(r.Amount)
	return r, err
}

// refundOf puts money for an order that it does not pay into the outbox, and lets
// the shopper know once the order has ended.
func (c conn) refundOf(ctx context.Context, o order, p payment, why string) error {
	_, err := c.exec(ctx, `UPDATE sale_orders SET refund_due = true, version = version + 1 WHERE reservation_id = $1`, o.ID)
	if err != nil {
		return err
	}
	return c.refund(ctx, o.Sale, p, why)
}

// refundWrong makes the money of a payment that is not of what its order costs
// due back. The order stays as it is, and waits for the right one. With no money
// there is nothing to send back, nor to remember.
func (c conn) refundWrong(ctx context.Context, o order, p payment) error {
	if p.Amount == "0" {
		return &wrongPrice{due: o.due()}
	}
	if o.Status == Paid { // its shopper has nothing to be told of
		return c.refund(ctx, o.Sale, p, reasonWrong)
	}
	return c.refundOf(ctx, o, p, reasonWrong)
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
	return c.refund(ctx, sale, p, reasonRefused)
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

// leaseRefunds takes refunds that are due for this worker alone, for a while.
func (b *Books) leaseRefunds(ctx context.Context) (leased []refund, err error) {
	err = b.inTx(ctx, func(c conn) error {
		leased, err = rows(ctx, c, scanRefund, `WITH due AS MATERIALIZED (
				SELECT payment_id FROM refunds WHERE sent_at IS NULL AND next_at <= {now}
				ORDER BY next_at LIMIT $1 {skip})
			UPDATE refunds SET next_at = {now} + $2 * {ms}, attempts = attempts + 1
			WHERE payment_id IN (SELECT payment_id FROM due) AND sent_at IS NULL
			RETURNING payment_id, reservation_id, sale, COALESCE(CAST(amount AS text), ''), COALESCE(currency, ''), reason, attempts`,
			outboxBatch, lease.Milliseconds())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease refunds: %w", err)
	}
	return leased, nil
}

// sent records that a refund was taken, and that its money is no longer ours.
func (b *Books) sent(ctx context.Context, r refund) error {
	err := b.inTx(ctx, func(c conn) error {
		n, err := c.exec(ctx, `UPDATE refunds SET sent_at = {now} WHERE payment_id = $1 AND sent_at IS NULL`, r.Payment)
		if err != nil || n == 0 {
			return err
		}
		p := payment{ID: r.Payment, Currency: r.Currency}
		if r.Amount != "" {
			p.Amount = "-" + r.Amount
		}
		return c.write(ctx, entry{Sale: r.Sale, Reservation: r.Reservation, Cause: "refunded", Payment: p})
	})
	if err != nil {
		return fmt.Errorf("record refund: %w", err)
	}
	return nil
}

// postpone gives a refund that was not taken its next time.
func (b *Books) postpone(ctx context.Context, r refund, wait time.Duration) error {
	_, err := b.plain().exec(ctx, `UPDATE refunds SET next_at = {now} + $2 * {ms}
		WHERE payment_id = $1 AND sent_at IS NULL AND attempts = $3`, r.Payment, wait.Milliseconds(), r.attempt)
	if err != nil {
		return fmt.Errorf("postpone refund: %w", err)
	}
	return nil
}

// countRefunds shows how many refunds wait.
func (w *Worker) countRefunds(ctx context.Context) error {
	var n int
	err := w.books.plain().row(ctx, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NULL`).Scan(&n)
	if err != nil {
		return fmt.Errorf("count refunds: %w", err)
	}
	w.metrics.refundsDue.Set(float64(n))
	return nil
}
