package gate

import (
	"context"
	"encoding/json"
	"fmt"
)

// Mended says what one Mend changed.
type Mended struct {
	Restored int // receipts written for live orders that had none
	Freed    int // units given back of receipts that nobody owns
	Shifted  int // units added to stock (negative: removed) so that stock + receipts = total
	Refiled  int // accounts and tickets whose index entry did not say what the receipts say
}

// Mend makes the gate agree with the ledger without touching what a hold or a
// winner on its way owns: missing lists live orders without a receipt, orphans
// receipts that have no order. An orphan whose stream entry is still there
// is left alone. paid is the ledger's count of paid units. Transfers that nobody
// ended are ended, and a bucket that owes units is given some. It fails with
// ErrClosed: also when the buckets together have not what the sale has, which only
// a rebuild can set right, so that the gate is closed then.
func (g *Gate) Mend(ctx context.Context, missing []Live, orphans []Receipt, paid int) (Mended, error) {
	m, err := g.mend(ctx, missing, orphans, paid)
	if err == nil && len(g.buckets) > 1 {
		err = g.settleBuckets(ctx)
	}
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	return m, nil
}

func (g *Gate) mend(ctx context.Context, missing []Live, orphans []Receipt, paid int) (m Mended, err error) {
	n := len(g.buckets)
	live, holds := make([][]Live, n), make([][]string, n)
	for _, l := range missing {
		home := g.home(l.Account)
		live[home] = append(live[home], l)
	}
	for _, r := range orphans {
		home := g.home(r.Account)
		holds[home] = append(holds[home], r.Hold)
	}
	elsewhere, err := g.paidElsewhere(ctx)
	if err != nil {
		return Mended{}, err
	}
	asks := make([]ask, 0, n)
	for i := range n {
		orders, err := json.Marshal(wireLive(live[i]))
		if err != nil {
			return Mended{}, err
		}
		gone, err := json.Marshal(append([]string{}, holds[i]...))
		if err != nil {
			return Mended{}, err
		}
		var count any = ""
		if i == 0 {
			count = paid - elsewhere
		}
		seen := g.newest(i)
		asks = append(asks, ask{i, []any{orders, gone, count, seen.Epoch, seen.Moves, n}})
	}
	answers, err := g.askAll(ctx, scriptMend, asks)
	if err != nil {
		return Mended{}, err
	}
	for _, r := range answers {
		var one Mended
		if err := r.ok(&one.Restored, &one.Freed, &one.Shifted, &one.Refiled); err != nil {
			return Mended{}, err
		}
		m.Restored += one.Restored
		m.Freed += one.Freed
		m.Shifted += one.Shifted
		m.Refiled += one.Refiled
	}
	return m, nil
}

// paidElsewhere is how many units count as paid in all buckets but the first.
func (g *Gate) paidElsewhere(ctx context.Context) (paid int, err error) {
	if len(g.buckets) == 1 {
		return 0, nil
	}
	c, err := g.collect(ctx)
	if err == nil && !c.snap.Open() {
		err = ErrClosed
	}
	if err != nil {
		return 0, err
	}
	for _, p := range c.parts[1:] {
		paid += p.paid
	}
	return paid, nil
}

// settleBuckets ends transfers, sees that the buckets together have what the sale
// has, and brings units to those that owe some.
func (g *Gate) settleBuckets(ctx context.Context) error {
	c, err := g.collect(ctx)
	switch {
	case err != nil:
		return err
	case !c.snap.Open():
		return ErrClosed
	case c.outran:
		return nil // the next Mend may be slower
	}
	have := c.snap.Transit
	for _, p := range c.parts {
		have += p.total
	}
	if have -= c.back; have != c.snap.Total {
		if err := g.Close(ctx, fmt.Sprintf("its buckets have %d units, not %d", have, c.snap.Total)); err != nil {
			return err
		}
		return ErrClosed
	}
	if owing := c.owing(); len(owing) > 0 {
		if err := g.credit(ctx, c.snap.Mark.Epoch, owing); err != nil {
			return err
		}
	}
	for i, p := range c.parts {
		if p.stock < 0 {
			if err := g.bring(ctx, c, i, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
