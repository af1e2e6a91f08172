package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// follow makes books and gate have as many units as the file says. Upwards the
// books come first, downwards the gate, so that the gate never offers more than
// the books have.
func (k *keeper) follow(ctx context.Context, g *gate.Gate, sale *configs.Sale, snap gate.Snapshot) error {
	books := k.worker.books
	total, err := books.total(ctx, k.key)
	if err != nil {
		return err
	}
	switch {
	case sale.Stock > total:
		if ok, err := books.setTotal(ctx, k.key, total, sale.Stock); err != nil || !ok {
			return err
		}
		_, err = g.SetTotal(ctx, sale.Stock)
	case sale.Stock < total:
		// What is out stays out: the gate says how far down it could go.
		var got int
		if got, err = g.SetTotal(ctx, sale.Stock); err == nil && got < total {
			_, err = books.setTotal(ctx, k.key, total, got)
		}
	case snap.Total != total: // somebody stopped between the two
		_, err = g.SetTotal(ctx, total)
	}
	if errors.Is(err, gate.ErrClosed) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("follow stock of %s: %w", k.key, err)
	}
	return nil
}
