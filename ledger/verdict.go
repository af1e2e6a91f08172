package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// verdict is what became of one winner.
type verdict string

const (
	written  verdict = "written"
	repeated verdict = "repeated" // its order is there already
	late     verdict = "late"     // its order is there and has given this unit back: it was asked for twice
	second   verdict = "second"   // refused: the account has a live order
	leaked   verdict = "leaked"   // refused: the gate gave what the books do not have
	overdue  verdict = "overdue"  // refused: it was lost on its way until its time to pay was over
	poisoned verdict = "poisoned" // no order can be made of it
)

// writeOne settles one winner by itself. Asked again it comes to the same
// verdict, or to repeated.
func (b *Books) writeOne(ctx context.Context, key string, w gate.Winner) (o order, v verdict, err error) {
	for range txTries {
		o, v, err = b.tryOne(ctx, key, w)
		if err != nil && b.dialect.blame(err) == content {
			return order{}, poisoned, err
		}
		if err != nil || v == written || v == repeated {
			return o, v, err
		}
		// Refused. Unless another worker has just written it after all.
		stands, refused, err := b.refuse(ctx, key, w, v)
		if err != nil || refused {
			return order{}, stands, err
		}
	}
	return order{}, "", fmt.Errorf("write winner %s: no verdict in %d tries", w.Reservation, txTries)
}

func (b *Books) tryOne(ctx context.Context, key string, w gate.Winner) (o order, v verdict, err error) {
	err = b.inTx(ctx, func(c conn) error {
		if reason, ok, err := c.refusal(ctx, w.Reservation); ok || err != nil {
			v = reason
			return err
		}
		fresh, err := c.insertOrders(ctx, key, []gate.Winner{w})
		if err != nil {
			return err
		}
		if len(fresh) == 1 {
			o, v = fresh[0], written
			return c.count(ctx, key, fresh)
		}
		_, there, err := c.order(ctx, w.Reservation)
		if v = second; there {
			v = repeated
		}
		return err
	})
	if errors.Is(err, errSplit) {
		return order{}, leaked, nil
	}
	if err != nil {
		return order{}, "", fmt.Errorf("write winner %s: %w", w.Reservation, err)
	}
	return o, v, nil
}

// known returns the orders that winners have already.
func (b *Books) known(ctx context.Context, ws []gate.Winner) ([]order, error) {
	ids := make([]string, 0, len(ws))
	for _, w := range ws {
		ids = append(ids, w.Reservation)
	}
	found, err := rows(ctx, b.plain(), scanOrder, `SELECT `+orderColumns+` FROM sale_orders WHERE reservation_id IN {ids}`, wireIDs(ids))
	if err != nil {
		return nil, fmt.Errorf("look winners up: %w", err)
	}
	return found, nil
}
