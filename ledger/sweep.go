package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	sweepEvery = time.Second
	sweepBatch = 100
	// sweepGrace is how long after pay_before an unpaid order is still kept.
	// What a shopper was told, by the gate's clock, is never cut short by a
	// difference between the two clocks below it; nor is one who pays at the last
	// moment, if the shop tells of it at once. Whoever is next waits that long.
	sweepGrace = time.Second
)

// SweepResult says what one pass of the sweeper did.
type SweepResult struct {
	Expired  int `json:"expired"`  // unpaid orders whose time was over
	Released int `json:"released"` // orders whose units went back to the gate
	Applied  int `json:"applied"`  // payments that came before their order
}

// Sweep makes one pass over all sales that the books know: early payments are
// applied, unpaid orders whose time is over expire, and units that the books
// have let go of go back to the gate. Any number of sweepers may run at once,
// and one may stop anywhere: what it left is done by the next pass of any. A sale
// that fails holds up no other.
func (w *Worker) Sweep(ctx context.Context) (SweepResult, error) {
	var sum SweepResult
	var faults []error
	applied, err := w.applyWaiting(ctx)
	sum.Applied, faults = applied, append(faults, err)

	keys, err := w.books.toSweep(ctx)
	faults = append(faults, err)
	for _, key := range keys {
		expired, err := w.expireAll(ctx, key)
		sum.Expired, faults = sum.Expired+expired, append(faults, err)
		released, err := w.releaseAll(ctx, key)
		sum.Released, faults = sum.Released+released, append(faults, err)
	}
	faults = append(faults, w.tellWaiting(ctx))
	if err := errors.Join(faults...); err != nil {
		return sum, fmt.Errorf("sweep: %w", err)
	}
	return sum, nil
}

// toSweep returns the sales that have something to expire or to release, in any
// order: a pass that is cut short must not always leave the same ones.
func (b *Books) toSweep(ctx context.Context) ([]string, error) {
	keys, err := rows(ctx, b.plain(), scanText, `SELECT sale FROM sale_orders
			WHERE status = 'PENDING_PAYMENT' AND pay_before < {now} - $1 * {ms}
		UNION SELECT sale FROM sale_orders
			WHERE status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL`, sweepGrace.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("look for sales to sweep: %w", err)
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys, nil
}

func (w *Worker) expireAll(ctx context.Context, key string) (expired int, err error) {
	for {
		orders, err := w.books.expire(ctx, key, sweepBatch)
		if err != nil {
			return expired, err
		}
		expired += len(orders)
		w.metrics.expired.WithLabelValues(saleID(key)).Add(float64(len(orders)))
		if len(orders) < sweepBatch {
			return expired, nil
		}
	}
}

// expire ends up to most unpaid orders of a sale whose time is over: orders,
// journal and stock in one transaction. Orders that somebody else is moving now
// are passed over.
func (b *Books) expire(ctx context.Context, key string, most int) (ended []order, err error) {
	err = b.inTx(ctx, func(c conn) error {
		ended, err = rows(ctx, c, scanOrder, `WITH due AS MATERIALIZED (
				SELECT reservation_id FROM sale_orders
				WHERE sale = $1 AND status = 'PENDING_PAYMENT' AND pay_before < {now} - $2 * {ms}
				ORDER BY pay_before LIMIT $3 {skip})
			UPDATE sale_orders SET status = 'EXPIRED', version = version + 1
			WHERE reservation_id IN (SELECT reservation_id FROM due) AND status = 'PENDING_PAYMENT'
			RETURNING `+orderColumns, key, sweepGrace.Milliseconds(), most)
		if err != nil || len(ended) == 0 {
			return err
		}
		ids, units := make([]string, 0, len(ended)), 0
		for _, o := range ended {
			ids = append(ids, o.ID)
			units += o.Qty
		}
		_, err = c.exec(ctx, `INSERT INTO journal (sale, reservation_id, cause, units)
			SELECT sale, reservation_id, 'expired', -qty FROM sale_orders WHERE reservation_id IN {ids}`, wireIDs(ids))
		if err != nil {
			return err
		}
		return c.take(ctx, key, -units)
	})
	if err != nil {
		return nil, fmt.Errorf("expire orders of %s: %w", key, err)
	}
	return ended, nil
}
