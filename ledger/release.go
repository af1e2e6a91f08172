package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// release gives an ended order's units back to the gate and records that. Asked
// twice, or by two at once, it gives back once: the receipt's removal is the
// give-back. With gate.ErrClosed it has to be asked again later.
func (w *Worker) release(ctx context.Context, o order) error {
	g, err := w.gateOf(ctx, o.Sale)
	if err != nil {
		return fmt.Errorf("release order %s: %w", o.ID, err)
	}
	if _, err := g.Release(ctx, o.Account, o.hold()); err != nil {
		return fmt.Errorf("release order %s: %w", o.ID, err)
	}
	n, err := w.books.plain().exec(ctx, `UPDATE sale_orders SET released_at = {now}
		WHERE reservation_id = $1 AND holds = $2 AND released_at IS NULL AND status IN ('EXPIRED', 'CANCELLED')`, o.ID, o.Holds)
	if err != nil {
		return fmt.Errorf("record release of order %s: %w", o.ID, err)
	}
	w.metrics.released.WithLabelValues(saleID(o.Sale)).Add(float64(n))
	return nil
}

// unreleased returns ended orders of a sale whose give-back is not recorded, in
// any order: one that cannot be given back must not always stand before the
// others.
func (b *Books) unreleased(ctx context.Context, key string, most int) ([]order, error) {
	found, err := rows(ctx, b.plain(), scanOrder, `SELECT `+orderColumns+` FROM sale_orders
		WHERE sale = $1 AND status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL
		ORDER BY random() LIMIT $2`, key, most)
	if err != nil {
		return nil, fmt.Errorf("look for orders to release: %w", err)
	}
	return found, nil
}

// releaseAll gives back what the orders of one sale still have out. A gate that
// is being rebuilt is left for the next pass.
func (w *Worker) releaseAll(ctx context.Context, key string) (released int, err error) {
	for {
		orders, err := w.books.unreleased(ctx, key, sweepBatch)
		if err != nil {
			return released, err
		}
		for _, o := range orders {
			if err := w.release(ctx, o); errors.Is(err, gate.ErrClosed) {
				return released, nil
			} else if err != nil {
				return released, err
			}
			released++
		}
		if len(orders) < sweepBatch {
			return released, nil
		}
	}
}
