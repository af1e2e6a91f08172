package ledger

import (
	"context"
	"errors"

	"github.com/waitroom/waitroom/gate"
)

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

// refused does at the gate what a refusal asks for. A gate that is closed will
// be rebuilt from the books, which settles it as well.
func (w *Worker) refused(ctx context.Context, g *gate.Gate, x gate.Winner, v verdict) (err error) {
	switch v {
	case second, overdue, late: // the unit went to nobody
		_, err = g.Release(ctx, x.Account, x.Reservation)
	case poisoned: // nor here, and whose it was is not to be believed
		_, err = g.Release(ctx, "", x.Reservation)
	case leaked: // there is no unit
		_, err = g.Drop(ctx, x.Account, x.Reservation)
	}
	if errors.Is(err, gate.ErrClosed) {
		return nil
	}
	return err
}
