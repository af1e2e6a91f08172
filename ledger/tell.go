package ledger

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/gate"
)

const (
	tellBatch   = 500
	tellAtATime = 8
)

// Telling is the last step of every move and never holds one up: each row knows
// which of its versions the shopper can see, and what could not be told is told
// by the next sweep of any worker.

// note is one thing to be told.
type note struct {
	gate.Note
	sale    string
	refused bool // it is of a refusal, not of an order
}

// tellWaiting tells all that is untold.
func (w *Worker) tellWaiting(ctx context.Context) error {
	notes, err := w.books.untold(ctx, tellBatch)
	if err != nil {
		return err
	}
	return w.tell(ctx, notes...)
}

// tell leaves notes at the gates and records which were left.
func (w *Worker) tell(ctx context.Context, notes ...note) error {
	var all errgroup.Group
	all.SetLimit(tellAtATime)
	left := make([]bool, len(notes))
	for i, n := range notes {
		g := w.gateOf(n.sale)
		if g == nil {
			continue
		}
		all.Go(func() error {
			err := g.Tell(ctx, n.Note)
			left[i] = err == nil
			return err
		})
	}
	fault := all.Wait()
	told := notes[:0:0]
	for i, n := range notes {
		if left[i] {
			told = append(told, n)
		}
	}
	if err := w.books.told(ctx, told); err != nil {
		return err
	}
	return fault
}

// untold returns notes that shoppers cannot see yet.
func (b *Books) untold(ctx context.Context, most int) ([]note, error) {
	orders, err := rows(ctx, b.plain(), scanOrder, `SELECT `+orderColumns+` FROM sale_orders WHERE told < version LIMIT $1`, most)
	if err != nil {
		return nil, fmt.Errorf("look for what to tell: %w", err)
	}
	notes, err := rows(ctx, b.plain(), scanRefusal, `SELECT reservation_id, sale, qty, refund_due, version
		FROM refusals WHERE told < version LIMIT $1`, most)
	if err != nil {
		return nil, fmt.Errorf("look for what to tell: %w", err)
	}
	return append(notes, notesOf(orders)...), nil
}

func notesOf(orders []order) []note {
	notes := make([]note, 0, len(orders))
	for _, o := range orders {
		notes = append(notes, note{Note: o.note(), sale: o.Sale})
	}
	return notes
}

func scanRefusal(scan func(...any) error) (note, error) {
	n := note{refused: true, Note: gate.Note{Status: gate.Refused}}
	var refund bool
	err := scan(&n.Reservation, &n.sale, &n.Qty, &refund, &n.Version)
	if refund {
		n.Status = gate.RefundDue
	}
	return n, err
}

// told records what was told, version by version: few statements, since most
// rows of a batch are of the same one.
func (b *Books) told(ctx context.Context, notes []note) error {
	type rank struct {
		table   string
		version int
	}
	ids := make(map[rank][]string)
	for _, n := range notes {
		r := rank{"sale_orders", n.Version}
		if n.refused {
			r.table = "refusals"
		}
		ids[r] = append(ids[r], n.Reservation)
	}
	for r, list := range ids {
		err := b.inTx(ctx, func(c conn) error {
			_, err := c.exec(ctx, `UPDATE `+r.table+` SET told = $2
				WHERE reservation_id IN {ids} AND told < $2`, wireIDs(list), r.version)
			return err
		})
		if err != nil {
			return fmt.Errorf("record what was told: %w", err)
		}
	}
	return nil
}
