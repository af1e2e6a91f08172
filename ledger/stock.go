package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/configs"
)

// Counts are a sale's books in numbers. All but Orders are units.
type Counts struct {
	Total, Sold   int // the stock row
	Pending, Paid int // live orders
	Orders        int // live orders, as many as there are
	Journal       int // sold, as the journal adds up to
}

// Balanced reports whether stock row, orders and journal say the same.
func (c Counts) Balanced() bool {
	return c.Sold >= 0 && c.Sold <= c.Total && c.Sold == c.Pending+c.Paid && c.Sold == c.Journal
}

// Counts reads the books of the sale that the stores know under key, in one
// statement, so that all numbers are of the same moment.
func (b *Books) Counts(ctx context.Context, key string) (Counts, error) {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	var c Counts
	err := b.plain().row(ctx, `SELECT
		COALESCE((SELECT total FROM sale_stock WHERE sale = $1), 0),
		COALESCE((SELECT sold FROM sale_stock WHERE sale = $1), 0),
		COALESCE((SELECT SUM(qty) FROM sale_orders WHERE sale = $1 AND status = 'PENDING_PAYMENT'), 0),
		COALESCE((SELECT SUM(qty) FROM sale_orders WHERE sale = $1 AND status = 'PAID'), 0),
		(SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND status IN ('PENDING_PAYMENT', 'PAID')),
		COALESCE((SELECT SUM(units) FROM journal WHERE sale = $1), 0)`, key).
		Scan(&c.Total, &c.Sold, &c.Pending, &c.Paid, &c.Orders, &c.Journal)
	if err != nil {
		return Counts{}, fmt.Errorf("count %s: %w", key, err)
	}
	return c, nil
}

// stockUp makes a sale's stock row if there is none.
func (b *Books) stockUp(ctx context.Context, sale *configs.Sale) error {
	key, total := sale.Key, sale.Stock
	if there, err := b.total(ctx, key); err != nil || there > 0 {
		return err
	}
	err := b.inTx(ctx, func(c conn) error {
		n, err := c.exec(ctx, `INSERT INTO sale_stock (sale, `+termColumns+`, total) VALUES ($1, `+termValues+`, $12)
			ON CONFLICT DO NOTHING`, append(termArgs(key, sale.InForce()), total)...)
		if err != nil || n == 0 {
			return err
		}
		return c.write(ctx, entry{Sale: key, Cause: "stock", Stock: total})
	})
	if err != nil {
		return fmt.Errorf("stock sale %s up: %w", key, err)
	}
	return nil
}

// total reads how many units the books say a sale has; zero when they do not
// know it.
func (b *Books) total(ctx context.Context, key string) (int, error) {
	var total int
	err := b.plain().row(ctx, `SELECT total FROM sale_stock WHERE sale = $1`, key).Scan(&total)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("read total of %s: %w", key, err)
	}
	return total, nil
}

// setTotal changes how many units the sale has, from one number to another, and
// reports whether it did: not when the first is no longer true, nor below what
// is sold, nor when the gate is rebuilt since it had that epoch, for it may have
// either number then.
func (b *Books) setTotal(ctx context.Context, key string, from, to int, epoch uint64) (bool, error) {
	var changed int64
	err := b.inTx(ctx, func(c conn) (err error) {
		changed, err = c.exec(ctx, `UPDATE sale_stock SET total = $3 WHERE sale = $1 AND total = $2 AND sold <= $3`, key, from, to)
		if err != nil || changed == 0 {
			return err
		}
		if err := c.notRebuilt(ctx, key, epoch); err != nil {
			return err
		}
		return c.write(ctx, entry{Sale: key, Cause: "stock", Stock: to - from})
	})
	if errors.Is(err, errRebuilt) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("set total of %s: %w", key, err)
	}
	return changed > 0, nil
}
