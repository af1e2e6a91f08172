package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// earlyLife is how long a notice waits for its order. A winner that has not
// arrived by then and is not in the stream was forgotten by the gate, and the
// money is due back.
const earlyLife = time.Hour

// keepEarly keeps a notice that cannot be decided yet: its order is still on its
// way, or has to ask the gate for its unit again. It fails with errReused when
// another notice has the id. Whoever keeps one must look for the order again
// afterwards: it may have been written just before.
func (b *Books) keepEarly(ctx context.Context, key string, p payment) error {
	err := b.inTx(ctx, func(c conn) error {
		n, err := c.exec(ctx, `INSERT INTO early_payments (payment_id, reservation_id, sale, amount, currency)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			p.ID, p.Reservation, key, nullable(p.Amount), nullable(p.Currency))
		if err != nil {
			return err
		}
		if n == 0 {
			if err := c.matchEarly(ctx, p); err != nil {
				return err
			}
		}
		// Only now: a notice that was decided meanwhile has left early_payments.
		_, done, err := c.settled(ctx, p)
		if err != nil || !done {
			return err
		}
		return c.dropEarly(ctx, p)
	})
	if err != nil {
		return fmt.Errorf("keep payment for %s: %w", p.Reservation, err)
	}
	return nil
}

// matchEarly fails with errReused when another notice waits under the same id.
func (c conn) matchEarly(ctx context.Context, p payment) error {
	was, err := scanEarly(c.row(ctx, `SELECT `+earlyColumns+` FROM early_payments WHERE payment_id = $1`, p.ID).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil && !p.same(was.payment) {
		return errReused
	}
	return err
}

// early is a notice that waits, and the sale in which it does.
type early struct {
	payment
	sale string
}

const earlyColumns = `payment_id, reservation_id, COALESCE(CAST(amount AS text), ''), COALESCE(currency, ''), sale`

func scanEarly(scan func(...any) error) (early, error) {
	var e early
	err := scan(&e.ID, &e.Reservation, &e.Amount, &e.Currency, &e.sale)
	e.Amount = plainAmount(e.Amount)
	return e, err
}

// earlyFor returns the notices that wait for these reservations.
func (b *Books) earlyFor(ctx context.Context, reservations []string) ([]early, error) {
	found, err := rows(ctx, b.plain(), scanEarly,
		`SELECT `+earlyColumns+` FROM early_payments WHERE reservation_id IN {ids}`, wireIDs(reservations))
	if err != nil {
		return nil, fmt.Errorf("look early payments up: %w", err)
	}
	return found, nil
}

// earlyReady returns notices whose order, or refusal, is there, in any order:
// those that wait for a closed gate must not always stand before the others.
func (b *Books) earlyReady(ctx context.Context, most int) ([]early, error) {
	found, err := rows(ctx, b.plain(), scanEarly, `SELECT `+earlyColumns+` FROM early_payments e
		WHERE EXISTS (SELECT 1 FROM sale_orders o WHERE o.reservation_id = e.reservation_id)
		   OR EXISTS (SELECT 1 FROM refusals r WHERE r.reservation_id = e.reservation_id)
		ORDER BY random() LIMIT $1`, most)
	if err != nil {
		return nil, fmt.Errorf("look early payments up: %w", err)
	}
	return found, nil
}

// earlyLost returns notices that have waited too long for an order. One whose
// order is there waits for the gate alone, and as long as that takes.
func (b *Books) earlyLost(ctx context.Context, most int) ([]early, error) {
	found, err := rows(ctx, b.plain(), scanEarly, `SELECT `+earlyColumns+` FROM early_payments e
		WHERE at < {now} - $1 * {ms}
			AND NOT EXISTS (SELECT 1 FROM sale_orders o WHERE o.reservation_id = e.reservation_id)
		ORDER BY random() LIMIT $2`, earlyLife.Milliseconds(), most)
	if err != nil {
		return nil, fmt.Errorf("look lost payments up: %w", err)
	}
	return found, nil
}

// dropEarly forgets a notice: its id has been decided.
func (c conn) dropEarly(ctx context.Context, p payment) error {
	if _, err := c.exec(ctx, `DELETE FROM early_payments WHERE payment_id = $1`, p.ID); err != nil {
		return fmt.Errorf("drop early payment for %s: %w", p.Reservation, err)
	}
	return nil
}

// refundLost makes the money of a notice that waited too long due back. It fails
// with errMovedOn when the order is there after all.
func (b *Books) refundLost(ctx context.Context, e early) error {
	_, err := b.decide(ctx, e.payment, func(c conn, _ order, ok bool) (outcome, error) {
		if ok {
			return "", errMovedOn
		}
		return outcomeRefund, c.refund(ctx, e.sale, e.payment, reasonLost)
	})
	if err != nil {
		return fmt.Errorf("refund lost payment for %s: %w", e.Reservation, err)
	}
	return nil
}
