package ledger

import (
	"context"
	"fmt"
	"time"
)

// lapseEvery is how often a live sale is looked at for holds whose time is over: a
// unit that nobody paid is wanted by whoever is next. All the rest of a sweep has
// more time.
const lapseEvery = 200 * time.Millisecond

// lapse expires what is due of a live sale and gives it back. What it leaves, the
// next sweep does.
func (w *Worker) lapse(ctx context.Context, key string) error {
	sale := w.sale(key)
	if sale == nil || !live(sale, time.Now()) {
		return nil
	}
	due, err := w.books.due(ctx, key)
	if err != nil || !due {
		return err
	}
	if _, err := w.expireAll(ctx, key); err != nil {
		return err
	}
	_, err = w.releaseAll(ctx, key)
	return err
}

// due reports whether a sale has holds to expire. It is one look into an index.
func (b *Books) due(ctx context.Context, key string) (due bool, err error) {
	err = b.plain().row(ctx, `SELECT EXISTS (SELECT 1 FROM sale_orders
		WHERE sale = $1 AND status = 'PENDING_PAYMENT' AND pay_before < {now} - $2 * {ms})`,
		key, sweepGrace.Milliseconds()).Scan(&due)
	if err != nil {
		return false, fmt.Errorf("look for holds to expire of %s: %w", key, err)
	}
	return due, nil
}
