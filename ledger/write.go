package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// errSplit says that a batch cannot be written as a whole.
var errSplit = errors.New("something in the batch refuses")

// writeBatch makes orders of winners, all in one transaction of a few
// statements, so that the stock row's lock and the flush to disk are shared. It
// returns the orders that it wrote and the winners that are still to be looked
// at one by one: repeated ones, second orders of an account and, when the stock
// or a value refuses, all of them.
func (b *Books) writeBatch(ctx context.Context, key string, ws []gate.Winner) (written []order, rest []gate.Winner, err error) {
	if len(ws) == 0 {
		return nil, nil, nil
	}
	err = b.inTx(ctx, func(c conn) error {
		written, err = c.insertOrders(ctx, key, ws)
		if err != nil || len(written) == 0 {
			return err
		}
		return c.count(ctx, key, written)
	})
	if errors.Is(err, errSplit) || err != nil && b.dialect.blame(err) == content {
		return nil, ws, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write %d winners: %w", len(ws), err)
	}
	return written, without(ws, written), nil
}

// insertOrders writes the orders that no constraint refuses.
func (c conn) insertOrders(ctx context.Context, key string, ws []gate.Winner) ([]order, error) {
	return rows(ctx, c, scanOrder, `INSERT INTO sale_orders
			(reservation_id, sale, account, ticket, qty, status, created_at, pay_before)
		SELECT w.reservation, $2, w.account, w.ticket, w.qty, 'PENDING_PAYMENT', {now}, {now} + w.hold * {ms}
		FROM {winners} WHERE true ORDER BY w.reservation
		ON CONFLICT DO NOTHING
		RETURNING `+orderColumns, wireWinners(ws), key)
}

// count writes the journal rows of fresh orders and takes their units. A
// reservation that was refused meanwhile (see refuse) stops it too.
func (c conn) count(ctx context.Context, key string, fresh []order) error {
	ids, units := make([]string, 0, len(fresh)), 0
	for _, o := range fresh {
		ids = append(ids, o.ID)
		units += o.Qty
	}
	list := wireIDs(ids)
	_, err := c.exec(ctx, `INSERT INTO journal (sale, reservation_id, cause, units)
		SELECT sale, reservation_id, 'held', qty FROM sale_orders WHERE reservation_id IN {ids}`, list)
	if err != nil {
		return err
	}
	n, err := c.exec(ctx, `UPDATE sale_stock SET sold = sold + $3 WHERE sale = $2 AND sold + $3 <= total
		AND NOT EXISTS (SELECT 1 FROM refusals WHERE reservation_id IN {ids})`, list, key, units)
	if err != nil {
		return err
	}
	if n == 0 {
		return errSplit
	}
	return nil
}

// without returns the winners that became no order.
func without(ws []gate.Winner, written []order) []gate.Winner {
	done := make(map[string]bool, len(written))
	for _, o := range written {
		done[o.ID] = true
	}
	var rest []gate.Winner
	for _, w := range ws {
		if !done[w.Reservation] {
			rest = append(rest, w)
		}
		done[w.Reservation] = false // a second entry of the same reservation is a repeated one
	}
	return rest
}
