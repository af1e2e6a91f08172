package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/gate"
)

// A winner can be lost on its way: somebody deleted the stream, or its group. Its
// receipt has all that an order needs, and the shopper was told yes. So it is sent
// anew, or, when its time to pay is over by then, refused, so that its shopper is
// told that.

// unheardPage is how many reservations the books are asked for at a time.
const unheardPage = 1000

// sendAnew sends winners anew whose entries are gone, of receipts that have no live
// order in what was read from the books after them. It returns how many it sent or
// refused.
func (w *Worker) sendAnew(ctx context.Context, g *gate.Gate, key string, alone []gate.Receipt) (int, error) {
	unheard, err := w.books.unheard(ctx, alone)
	if err != nil {
		return 0, err
	}
	sent, over, err := g.Anew(ctx, unheard)
	if sent > 0 {
		w.log.Warn("winners were lost on their way, sent anew", zap.String("sale", key), zap.Int("winners", sent))
	}
	for i := 0; err == nil && i < len(over); i++ {
		err = w.refuseOver(ctx, g, key, over[i])
	}
	if err != nil {
		return 0, fmt.Errorf("send winners of %s anew: %w", key, err)
	}
	return sent + len(over), nil
}

// refuseOver refuses a lost winner whose time to pay is over, unless a worker that
// had it in hand has written it meanwhile.
func (w *Worker) refuseOver(ctx context.Context, g *gate.Gate, key string, r gate.Receipt) error {
	x := winnerOf(r)
	why, refused, err := w.books.refuse(ctx, key, x, overdue)
	if err != nil || !refused {
		return err
	}
	w.metrics.verdict(saleID(key), why)
	return w.refused(ctx, g, x, why)
}

// sendAllAnew does so for a gate that is about to be rebuilt: a rebuild ends every
// receipt that has no order.
func (w *Worker) sendAllAnew(ctx context.Context, g *gate.Gate, key string) (int, error) {
	winning, err := g.Winning(ctx)
	if err != nil || len(winning) == 0 {
		return 0, err
	}
	standing, err := w.books.standing(ctx, key)
	if err != nil {
		return 0, err
	}
	return w.sendAnew(ctx, g, key, slices.DeleteFunc(winning, func(r gate.Receipt) bool {
		_, owned := standing[r.Hold]
		return owned
	}))
}

// winnerOf is the winner that came with a receipt.
func winnerOf(r gate.Receipt) gate.Winner {
	return gate.Winner{Reservation: r.Hold, Account: r.Account, Ticket: r.Ticket, Qty: r.Qty, Hold: longestHold}
}

// unheard returns the receipts of whose reservation the books have never heard, as
// far as an order could be made of them.
func (b *Books) unheard(ctx context.Context, receipts []gate.Receipt) (unheard []gate.Receipt, err error) {
	for page := range slices.Chunk(receipts, unheardPage) {
		ids, of := make([]string, 0, len(page)), make(map[string]gate.Receipt, len(page))
		for _, r := range page {
			if r.Entry != "" && faultOf(winnerOf(r)) == nil {
				ids, of[r.Hold] = append(ids, r.Hold), r
			}
		}
		heard, err := rows(ctx, b.plain(), scanText, `SELECT reservation_id FROM sale_orders WHERE reservation_id IN {ids}
			UNION SELECT reservation_id FROM refusals WHERE reservation_id IN {ids}`, wireIDs(ids))
		if err != nil {
			return nil, fmt.Errorf("look lost winners up: %w", err)
		}
		for _, id := range heard {
			delete(of, id)
		}
		unheard = slices.AppendSeq(unheard, maps.Values(of))
	}
	return unheard, nil
}
