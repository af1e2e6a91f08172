package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// What a payment can meet with.
var (
	errUnknown    = errors.New("no such reservation")
	errUnclaimed  = fmt.Errorf("%w; nothing is kept of this payment, so give back what was paid", errUnknown)
	errReused     = errors.New("this payment_id was used with another reservation, amount or currency")
	errLate       = errors.New("the order no longer holds a unit")
	errMovedOn    = errors.New("the order has moved meanwhile")
	errRebuilt    = errors.New("the gate has been rebuilt meanwhile")
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
	outcomeWrong  outcome = "wrong" // refund_due, for it was not of what the order costs

	outcomeUnknown outcome = "unknown" // of a reservation that nobody knows: only counted
)

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
	if err := c.dropEarly(ctx, p); err != nil || n == 1 {
		return "", false, err
	}
	return c.settled(ctx, p)
}

// settled returns what became of a payment; done is false when nothing has yet.
func (c conn) settled(ctx context.Context, p payment) (out outcome, done bool, err error) {
	var was payment
	err = c.row(ctx, `SELECT p.reservation_id, COALESCE(CAST(p.amount AS text), ''), COALESCE(p.currency, ''),
			CASE WHEN r.reason = $2 THEN 'wrong' ELSE p.outcome END
		FROM payments p LEFT JOIN refunds r ON r.payment_id = p.payment_id WHERE p.payment_id = $1`, p.ID, reasonWrong).
		Scan(&was.Reservation, &was.Amount, &was.Currency, &out)
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
