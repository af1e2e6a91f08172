package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// follow makes books and gate have as many units as the file says, once it says
// something that this keeper has not done yet. What others make of it afterwards
// stands: while a new file reaches the workers one by one, those that still have
// the old one must not undo it. Upwards the books come first, downwards the gate,
// so that the gate never offers more than the books have.
func (k *keeper) follow(ctx context.Context, g *gate.Gate, sale *configs.Sale, snap gate.Snapshot) error {
	books := k.worker.books
	total, err := books.total(ctx, k.key)
	if err != nil {
		return err
	}
	news := sale.Stock != k.followed
	behind := k.behind
	k.behind = false
	switch {
	case news && sale.Stock > total:
		if ok, err := books.setTotal(ctx, k.key, total, sale.Stock, snap.Mark.Epoch); err != nil || !ok {
			return err
		}
		_, err = g.SetTotal(ctx, sale.Stock)
	case news && sale.Stock < total:
		// What is out stays out: the gate says how far down it could go.
		var got int
		if got, err = g.SetTotal(ctx, sale.Stock); err == nil && got < total {
			_, err = books.setTotal(ctx, k.key, total, got, snap.Mark.Epoch)
		}
	case snap.Total < total && !behind: // another keeper may be on its way down
		k.behind = true
	case snap.Total != total: // somebody stopped between the two
		_, err = g.SetTotal(ctx, total)
	}
	if sale.Stock == total { // as read from the books, so that all of it is done
		k.followed = sale.Stock
	}
	if errors.Is(err, gate.ErrClosed) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("follow stock of %s: %w", k.key, err)
	}
	return nil
}
