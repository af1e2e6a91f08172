package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/gate"
)

const (
	tellBatch   = 500
	tellAtATime = 8 // notes of a sale
	tellSales   = 4 // sales
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

// tellWaiting tells what is untold, a batch of each sale. A gate that fails holds
// up its own sale alone.
func (w *Worker) tellWaiting(ctx context.Context) error {
	keys, err := w.books.toTell(ctx)
	if err != nil {
		return err
	}
	var all errgroup.Group
	all.SetLimit(tellSales)
	faults := make([]error, len(keys))
	for i, key := range keys {
		all.Go(func() error {
			notes, err := w.books.untold(ctx, key, tellBatch)
			if err == nil {
				err = w.tell(ctx, notes...)
			}
			faults[i] = err
			return nil
		})
	}
	_ = all.Wait()
	return errors.Join(faults...)
}

// tell leaves notes at a sale's gate and records which were left.
func (w *Worker) tell(ctx context.Context, notes ...note) error {
	told, fault := w.leave(ctx, notes...)
	return errors.Join(fault, w.books.told(ctx, told))
}

// leave leaves notes at a sale's gate and returns those that were left. After the
// first that fails it gives up: the gate may be away.
func (w *Worker) leave(ctx context.Context, notes ...note) (told []note, fault error) {
	all, leaving := errgroup.WithContext(ctx)
	all.SetLimit(tellAtATime)
	left := make([]bool, len(notes))
	for i, n := range notes {
		all.Go(func() error {
			g, err := w.gateOf(leaving, n.sale)
			if err == nil {
				err = g.Tell(leaving, n.Note)
			}
			left[i] = err == nil
			return err
		})
	}
	fault = all.Wait()
	for i, n := range notes {
		if left[i] {
			told = append(told, n)
		}
	}
	return told, fault
}

// toTell returns the sales in which something is untold.
func (b *Books) toTell(ctx context.Context) ([]string, error) {
	keys, err := rows(ctx, b.plain(), scanText, `SELECT sale FROM sale_orders WHERE told < version
		UNION SELECT sale FROM refusals WHERE told < version`)
	if err != nil {
		return nil, fmt.Errorf("look for sales to tell of: %w", err)
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys, nil
}

// untold returns notes of a sale that shoppers cannot see yet, in any order: one
// that cannot be told must not always stand before the others.
func (b *Books) untold(ctx context.Context, key string, most int) ([]note, error) {
	orders, err := rows(ctx, b.plain(), scanOrder, `SELECT `+orderColumns+` FROM sale_orders
		WHERE sale = $1 AND told < version ORDER BY random() LIMIT $2`, key, most)
	if err != nil {
		return nil, fmt.Errorf("look for what to tell: %w", err)
	}
	notes, err := rows(ctx, b.plain(), scanRefusal, `SELECT `+refusalColumns+` FROM refusals
		WHERE sale = $1 AND told < version ORDER BY random() LIMIT $2`, key, most)
	if err != nil {
		return nil, fmt.Errorf("look for what to tell: %w", err)
	}
	return append(notes, notesOf(orders)...), nil
}

// refusalNotes returns what is told of a reservation that was refused; nothing
// for any other.
func (b *Books) refusalNotes(ctx context.Context, reservation string) ([]note, error) {
	notes, err := rows(ctx, b.plain(), scanRefusal, `SELECT `+refusalColumns+` FROM refusals
		WHERE reservation_id = $1`, reservation)
	if err != nil {
		return nil, fmt.Errorf("read refusal %s: %w", reservation, err)
	}
	return notes, nil
}

const refusalColumns = `reservation_id, sale, account, qty, refund_due, version`

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
	err := scan(&n.Reservation, &n.sale, &n.Account, &n.Qty, &refund, &n.Version)
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
