package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// settleBatch takes winners to the end: order or refusal, then what the gate has
// to know, then the acknowledgement, then the shoppers.
func (w *Worker) settleBatch(ctx context.Context, key string, g *gate.Gate, reader *gate.Reader, ws []gate.Winner) error {
	began := time.Now()
	if err := w.stockUp(ctx, key); err != nil {
		return err
	}
	good := ws[:0:0]
	for _, x := range ws {
		if fault := faultOf(x); fault != nil {
			if err := w.setAside(ctx, key, g, x, fault); err != nil {
				return err
			}
			continue
		}
		good = append(good, x)
	}
	fresh, rest, err := w.books.writeBatch(ctx, key, good)
	if err != nil {
		return err
	}
	w.metrics.written.WithLabelValues(saleID(key)).Add(float64(len(fresh)))
	if err := w.settleRest(ctx, key, g, rest); err != nil {
		return err
	}
	if err := reader.Done(ctx, entriesOf(ws)...); err != nil {
		return err
	}
	w.metrics.batch.Observe(time.Since(began).Seconds())
	// Neither may hold up an acknowledgement: a closed gate waits for an empty
	// stream. What fails here is done by the next sweep.
	w.complain(ctx, "apply early payments", w.applyEarly(ctx, good))
	w.complain(ctx, "tell shoppers", w.tell(ctx, notesOf(fresh)...))
	return nil
}

// settleRest looks at winners one by one.
func (w *Worker) settleRest(ctx context.Context, key string, g *gate.Gate, rest []gate.Winner) error {
	if len(rest) == 0 {
		return nil
	}
	known, err := w.books.known(ctx, rest)
	if err != nil {
		return err
	}
	for _, x := range rest {
		v := repeated
		if !known[x.Reservation] {
			v, err = w.books.writeOne(ctx, key, x)
		}
		switch {
		case v == poisoned:
			err = w.setAside(ctx, key, g, x, err)
		case err == nil:
			w.metrics.verdict(saleID(key), v)
			err = w.refused(ctx, g, x, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refused does at the gate what a refusal asks for. A gate that is closed will
// be rebuilt from the books, which settles it as well.
func (w *Worker) refused(ctx context.Context, g *gate.Gate, x gate.Winner, v verdict) (err error) {
	switch v {
	case second, poisoned: // the unit went to nobody
		_, err = g.Release(ctx, x.Reservation)
	case leaked: // there is no unit
		_, err = g.Drop(ctx, x.Reservation)
	}
	if errors.Is(err, gate.ErrClosed) {
		return nil
	}
	return err
}

// setAside keeps a poisonous entry for people to look at. If it names a
// reservation that has no order, that is refused and its unit given back.
func (w *Worker) setAside(ctx context.Context, key string, g *gate.Gate, x gate.Winner, why error) error {
	if err := w.books.setAside(ctx, key, x, why); err != nil {
		return err
	}
	w.metrics.verdict(saleID(key), poisoned)
	switch {
	case x.Reservation == "":
		return nil
	case isPlainUUID(x.Reservation):
		x.Account, x.Qty = storable(x.Account), min(max(x.Qty, 1), mostUnits)
		if _, refused, err := w.books.refuse(ctx, key, x, poisoned); err != nil || !refused {
			return err
		}
	}
	return w.refused(ctx, g, x, poisoned)
}

// stockUp makes the sale's stock row before its first order: the keeper may
// not have come by yet.
func (w *Worker) stockUp(ctx context.Context, key string) error {
	if s := w.sale(key); s != nil {
		return w.books.stockUp(ctx, key, s.Stock)
	}
	return nil
}

func entriesOf(ws []gate.Winner) []string {
	entries := make([]string, 0, len(ws))
	for _, x := range ws {
		entries = append(entries, x.Entry)
	}
	return entries
}
