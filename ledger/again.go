package ledger

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/gate"
)

// A note that was told can be forgotten: by a rebuild, which brings back those of live
// orders alone, by a replica that was promoted before it heard of it, or with a key.
// The books know what was told, so each is compared with the gate.

// againBatch is how many notes are compared at a time.
const againBatch = 1000

// tellAgain tells what was told of a sale and is forgotten.
func (w *Worker) tellAgain(ctx context.Context, key string, g *gate.Gate) error {
	lost := 0
	for _, read := range []func(context.Context, string, string) ([]note, error){w.books.toldOrders, w.books.toldRefusals} {
		for after, more := "00000000-0000-0000-0000-000000000000", true; more; {
			told, err := read(ctx, key, after)
			if err != nil {
				return err
			}
			notes := make([]gate.Note, 0, len(told))
			for _, n := range told {
				notes = append(notes, n.Note)
				after = n.Reservation
			}
			n, err := g.Retell(ctx, notes)
			lost += n
			if err != nil {
				return err
			}
			more = len(told) == againBatch
		}
	}
	if lost > 0 {
		w.log.Warn("told again what the gate had forgotten", zap.String("sale", key), zap.Int("notes", lost))
	}
	return nil
}

// toldOrders reads the next notes of orders whose shoppers have been told all.
func (b *Books) toldOrders(ctx context.Context, key, after string) ([]note, error) {
	orders, err := rows(ctx, b.plain(), scanOrder, `SELECT `+orderColumns+` FROM sale_orders
		WHERE sale = $1 AND reservation_id > $2 AND told = version ORDER BY reservation_id LIMIT $3`, key, after, againBatch)
	if err != nil {
		return nil, fmt.Errorf("read what was told of %s: %w", key, err)
	}
	return notesOf(orders), nil
}

// toldRefusals reads the next notes of refusals whose shoppers have been told all.
func (b *Books) toldRefusals(ctx context.Context, key, after string) ([]note, error) {
	notes, err := rows(ctx, b.plain(), scanRefusal, `SELECT `+refusalColumns+` FROM refusals
		WHERE sale = $1 AND reservation_id > $2 AND told = version ORDER BY reservation_id LIMIT $3`, key, after, againBatch)
	if err != nil {
		return nil, fmt.Errorf("read what was told of %s: %w", key, err)
	}
	return notes, nil
}
