package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// errSplit says that a batch cannot be written as a whole.
var errSplit = errors.New("something in the batch refuses")

// writeAll makes orders of winners in as few transactions as it can: all in one,
// and where something refuses, or the database is too slow, each half by itself, until
// what refuses is alone.
// It returns the orders that it wrote and the winners that are still to be looked
// at one by one: repeated ones, second orders of an account, those for whom the
// stock does not last, and what the database cannot store.
func (b *Books) writeAll(ctx context.Context, key string, ws []gate.Winner) (fresh []order, rest []gate.Winner, err error) {
	if len(ws) == 0 {
		return nil, nil, nil
	}
	if b.bite.allows(len(ws)) {
		fresh, err = b.writeBatch(ctx, key, ws)
		slow := b.slow(ctx, err)
		b.bite.took(len(ws), slow, err == nil)
		switch {
		case err == nil:
			return fresh, without(ws, fresh), nil
		case slow && len(ws) > 1:
		case !errors.Is(err, errSplit) && b.dialect.blame(err) != content:
			return nil, nil, fmt.Errorf("write %d winners: %w", len(ws), err)
		case len(ws) == 1:
			return nil, ws, nil
		}
	}
	// The first half first: who came earlier has the better claim to what is left.
	half := len(ws) / 2
	first, restFirst, err := b.writeAll(ctx, key, ws[:half])
	if err != nil {
		return nil, nil, err
	}
	second, restSecond, err := b.writeAll(ctx, key, ws[half:])
	return append(first, second...), append(restFirst, restSecond...), err
}

// writeBatch makes orders of winners, all in one transaction of a few statements,
// so that the stock row's lock and the flush to disk are shared. It returns the
// orders that are new. With errSplit, or a content error, nothing was written.
func (b *Books) writeBatch(ctx context.Context, key string, ws []gate.Winner) (fresh []order, err error) {
	err = b.inTx(ctx, func(c conn) error {
		fresh, err = c.insertOrders(ctx, key, ws)
		if err != nil || len(fresh) == 0 {
			return err
		}
		return c.count(ctx, key, fresh)
	})
	if err != nil {
		return nil, err
	}
	return fresh, nil
}

// insertOrders writes the orders that no constraint refuses. Their first note is
// written down as told: who acknowledges their winners leaves it in the same step
// (see gate.Reader.Settle), and until then the winner comes again.
func (c conn) insertOrders(ctx context.Context, key string, ws []gate.Winner) ([]order, error) {
	byID := make(map[string]gate.Winner, len(ws))
	for _, w := range ws {
		byID[w.Reservation] = w
	}
	made := func(scan func(...any) error) (order, error) {
		var id string
		var qty int
		var created, payBefore instant
		err := scan(&id, &qty, &created, &payBefore)
		w := byID[id]
		return order{
			ID: id, Sale: key, Account: w.Account, Ticket: w.Ticket, Qty: qty, Status: Pending,
			Created: created.Time, PayBefore: payBefore.Time, Holds: 1, Version: 1,
		}, err
	}
	return rows(ctx, c, made, `INSERT INTO sale_orders
			(reservation_id, sale, account, ticket, qty, status, created_at, pay_before, price, currency, told)
		SELECT w.reservation, $1, w.account, w.ticket, w.qty, 'PENDING_PAYMENT', {now}, {now} + w.hold * {ms},
			(SELECT price FROM sale_stock WHERE sale = $1), (SELECT currency FROM sale_stock WHERE sale = $1), 1
		FROM {winners} WHERE true ORDER BY w.reservation
		ON CONFLICT DO NOTHING
		RETURNING reservation_id, qty, created_at, pay_before`, append([]any{key}, c.dialect.winners(ws)...)...)
}

// count writes the journal rows of fresh orders and takes their units. A
// reservation that was refused meanwhile (see refuse) stops it too.
func (c conn) count(ctx context.Context, key string, fresh []order) error {
	ws, ids, units := make([]gate.Winner, 0, len(fresh)), make([]string, 0, len(fresh)), 0
	for _, o := range fresh {
		ws = append(ws, gate.Winner{Reservation: o.ID, Qty: o.Qty})
		ids = append(ids, o.ID)
		units += o.Qty
	}
	_, err := c.exec(ctx, `INSERT INTO journal (sale, reservation_id, cause, units)
		SELECT $1, w.reservation, 'held', w.qty FROM {winners}`, append([]any{key}, c.dialect.winners(ws)...)...)
	if err != nil {
		return err
	}
	n, err := c.exec(ctx, `UPDATE sale_stock SET sold = sold + $3 WHERE sale = $2 AND sold + $3 <= total
		AND NOT EXISTS (SELECT 1 FROM refusals WHERE reservation_id IN {ids})`, wireIDs(ids), key, units)
	if err != nil {
		return err
	}
	if n == 0 {
		return errSplit
	}
	return nil
}

// without returns the winners that became no order.
func without(ws []gate.Winner, fresh []order) []gate.Winner {
	if len(fresh) == len(ws) {
		return nil
	}
	done := make(map[string]bool, len(fresh))
	for _, o := range fresh {
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
