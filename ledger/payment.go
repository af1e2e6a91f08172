package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/configs"
)

// What a payment can meet with.
var (
	errUnknown    = errors.New("no such reservation")
	errReused     = errors.New("this payment_id was used with another reservation, amount or currency")
	errLate       = errors.New("the order no longer holds a unit")
	errMovedOn    = errors.New("the order has moved meanwhile")
	errOrderPaid  = errors.New("the order is paid")
	errNotWritten = errors.New("the order is not written yet")
)

// payment is one notice of money. It is known by ID: the same one counts once.
type payment struct {
	ID          string
	Reservation string
	Amount      string // plain decimal, empty when it was not said
	Currency    string // three capitals, empty when it was not said
}

// outcome is what became of a payment.
type outcome string

const (
	outcomePaid   outcome = "paid"
	outcomeRefund outcome = "refund_due"
)

// pay applies a payment to its order. One conditional change decides between it
// and the order's expiry. For an order that holds no unit any more it fails with
// errLate where late money may take a unit again, else the money is due back.
func (b *Books) pay(ctx context.Context, p payment, late configs.LatePayment) (out outcome, err error) {
	err = b.inTx(ctx, func(c conn) error {
		var done bool
		if out, done, err = c.claim(ctx, p); done || err != nil {
			return err
		}
		o, ok, err := c.lockOrder(ctx, p.Reservation)
		if err != nil {
			return err
		}
		switch {
		case !ok:
			out, err = outcomeRefund, c.refundRefused(ctx, p)
		case o.Status == Pending:
			out, err = outcomePaid, c.move(ctx, &o, paid, p)
		case o.Status == Paid:
			out, err = outcomeRefund, c.refund(ctx, o.Sale, p, "second payment")
		case late == configs.Rehold:
			return errLate
		default:
			out, err = outcomeRefund, c.refundLate(ctx, o, p)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("pay %s: %w", p.Reservation, err)
	}
	return out, nil
}

// rehold pays an order that has ended and whose next hold the gate has given
// (see gate.Retake): holds is how many it had before. The money is due back
// when the books have no unit; the new hold is then written down as one that
// must be released. It fails with errMovedOn when the order is no longer what
// the hold was taken for.
func (b *Books) rehold(ctx context.Context, p payment, holds int) (out outcome, err error) {
	err = b.inTx(ctx, func(c conn) error {
		var done bool
		if out, done, err = c.claim(ctx, p); done || err != nil {
			return err
		}
		o, ok, err := c.lockOrder(ctx, p.Reservation)
		if err != nil {
			return err
		}
		if !ok || o.Status.Live() || o.Holds != holds {
			return errMovedOn
		}
		free, err := c.free(ctx, o)
		if err != nil {
			return err
		}
		if free {
			out = outcomePaid
			return c.move(ctx, &o, reheld, p)
		}
		out = outcomeRefund
		_, err = c.exec(ctx, `UPDATE sale_orders SET holds = holds + 1, released_at = NULL WHERE reservation_id = $1`, o.ID)
		if err != nil {
			return err
		}
		return c.refundLate(ctx, o, p)
	})
	if err != nil {
		return "", fmt.Errorf("pay %s late: %w", p.Reservation, err)
	}
	return out, nil
}

// free reports whether the books can take an ended order's units again: they
// are there, and the account has no other live order. It locks the stock.
func (c conn) free(ctx context.Context, o order) (bool, error) {
	var left, others int
	err := c.row(ctx, `SELECT total - sold FROM sale_stock WHERE sale = $1 {lock}`, o.Sale).Scan(&left)
	if err != nil {
		return false, err
	}
	err = c.row(ctx, `SELECT COUNT(*) FROM sale_orders
		WHERE sale = $1 AND account = $2 AND status IN ('PENDING_PAYMENT', 'PAID')`, o.Sale, o.Account).Scan(&others)
	return left >= o.Qty && others == 0, err
}

// claim makes this transaction the one that decides about a payment. It reports
// done, with the outcome, when another one has: copies that come at once wait
// for each other here.
func (c conn) claim(ctx context.Context, p payment) (out outcome, done bool, err error) {
	if err := c.matchEarly(ctx, p); err != nil {
		return "", false, err
	}
	n, err := c.exec(ctx, `INSERT INTO payments (payment_id, reservation_id, amount, currency, outcome)
		VALUES ($1, $2, $3, $4, 'paid') ON CONFLICT DO NOTHING`,
		p.ID, p.Reservation, nullable(p.Amount), nullable(p.Currency))
	if err != nil {
		return "", false, err
	}
	_, err = c.exec(ctx, `DELETE FROM early_payments WHERE payment_id = $1`, p.ID)
	if err != nil || n == 1 {
		return "", false, err
	}
	return c.settled(ctx, p)
}

// settled returns what became of a payment; done is false when nothing has yet.
func (c conn) settled(ctx context.Context, p payment) (out outcome, done bool, err error) {
	var was payment
	err = c.row(ctx, `SELECT reservation_id, COALESCE(CAST(amount AS text), ''), COALESCE(currency, ''), outcome
		FROM payments WHERE payment_id = $1`, p.ID).Scan(&was.Reservation, &was.Amount, &was.Currency, &out)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err == nil && !p.same(was) {
		return "", false, errReused
	}
	return out, err == nil, err
}

// same reports whether two notices under one id say the same.
func (p payment) same(q payment) bool {
	return p.Reservation == q.Reservation && p.Amount == plainAmount(q.Amount) && p.Currency == q.Currency
}

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
