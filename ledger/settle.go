package ledger

import (
	"context"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// settle takes a batch to its orders and refusals and tries until that is done.
// It reports false when ctx ended before: what is not acknowledged comes again,
// and is recognised. An end lets what is in hand be tried once more.
func (w *Worker) settle(ctx context.Context, key string, g *gate.Gate, b *batch) bool {
	ws := b.winners()
	if w.pace.WaitN(ctx, len(ws)) != nil {
		return false
	}
	return w.insist(ctx, "write winners", func(ctx context.Context) (err error) {
		b.fresh, err = w.settleAll(ctx, key, g, ws)
		return err
	})
}

// finish acknowledges a batch that is settled and leaves its first notes. Only
// then the early payments: neither they nor a note may hold up an
// acknowledgement, for a closed gate waits for an empty stream. What fails there
// is done by the next sweep.
func (w *Worker) finish(ctx context.Context, key string, b batch, doubt nudge) {
	for _, c := range b.catches {
		w.insist(ctx, "acknowledge winners", func(ctx context.Context) error {
			gone, err := c.reader.Settle(ctx, c.entries(), b.notesOf(c))
			if gone > 0 {
				doubt.give() // their receipts may be gone as well
			}
			return err
		})
		w.metrics.batch.Observe(time.Since(c.at).Seconds())
	}
	w.complain(ctx, "apply early payments", within(context.WithoutCancel(ctx), stepTimeout, func(ctx context.Context) error {
		return w.applyEarly(ctx, b.winners())
	}))
}

// settleAll makes an order or a refusal of each winner, and does at the gate what
// a refusal asks for. It returns the first notes of the orders that are new, by
// reservation. Asked again, for a commit whose outcome is unknown, it comes to the
// same orders.
func (w *Worker) settleAll(ctx context.Context, key string, g *gate.Gate, ws []gate.Winner) (map[string]gate.Note, error) {
	if err := w.stockUp(ctx, key); err != nil {
		return nil, err
	}
	good := ws[:0:0]
	for _, x := range ws {
		if fault := faultOf(x); fault != nil {
			if err := w.setAside(ctx, key, g, x, fault); err != nil {
				return nil, err
			}
			continue
		}
		good = append(good, x)
	}
	fresh, rest, err := w.books.writeAll(ctx, key, good)
	if err != nil {
		return nil, err
	}
	w.metrics.written.WithLabelValues(saleID(key)).Add(float64(len(fresh)))
	more, err := w.settleRest(ctx, key, g, rest)
	if err != nil {
		return nil, err
	}
	notes := make(map[string]gate.Note, len(fresh)+len(more))
	for _, o := range append(fresh, more...) {
		notes[o.ID] = o.note()
	}
	return notes, nil
}

// settleRest looks at winners one by one, and returns the orders that are new.
func (w *Worker) settleRest(ctx context.Context, key string, g *gate.Gate, rest []gate.Winner) (fresh []order, err error) {
	if len(rest) == 0 {
		return nil, nil
	}
	known, err := w.books.known(ctx, rest)
	if err != nil {
		return nil, err
	}
	// Whoever wrote them may not have come to tell of them.
	if _, err := w.leave(ctx, notesOf(known)...); err != nil {
		return nil, err
	}
	there := make(map[string]order, len(known))
	for _, o := range known {
		there[o.ID] = o
	}
	for _, x := range rest {
		v := repeated
		o, known := there[x.Reservation]
		if !known {
			if o, v, err = w.books.writeOne(ctx, key, x); v == written {
				fresh = append(fresh, o)
			}
		}
		switch {
		case known && o.hasLeft(x):
			w.metrics.verdict(saleID(key), late)
			err = w.refused(ctx, g, x, late)
		case v == poisoned:
			err = w.setAside(ctx, key, g, x, err)
		case err == nil:
			w.metrics.verdict(saleID(key), v)
			err = w.refused(ctx, g, x, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// stockUp makes the sale's stock row before its first order: the keeper may
// not have come by yet.
func (w *Worker) stockUp(ctx context.Context, key string) error {
	if s := w.sale(key); s != nil {
		return w.books.stockUp(ctx, s)
	}
	return nil
}
