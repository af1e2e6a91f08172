package gate

import (
	"context"
	"fmt"
)

// Mended says what one Mend changed.
type Mended struct {
	Restored int // receipts written for live orders that had none
	Freed    int // units given back of receipts that nobody owns
	Shifted  int // units added to stock (negative: removed) so that stock + receipts = total
	Refiled  int // receipts that the index did not name
}

// Mend makes the gate agree with the ledger without touching what a hold or a
// winner on its way owns: missing lists live orders without a receipt, orphans
// receipts that have no order. An orphan whose stream entry is still there, or is
// another one than it was, is left alone. It goes in parts, each of which leaves stock and receipts together
// what they were, and at last compares the two where nothing moves, and counts the
// units that are paid: by the notes, since the ledger knows before the gate is told,
// and what is told counts them again. Transfers that nobody
// ended are ended, and a bucket that owes units is given some. It fails with
// ErrClosed: also when the buckets together have not what the sale has, which only
// a rebuild can set right, so that the gate is closed then.
func (g *Gate) Mend(ctx context.Context, missing []Live, orphans []Receipt) (Mended, error) {
	m, err := g.mend(ctx, missing, orphans)
	if err == nil {
		err = g.settleBuckets(ctx)
	}
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	return m, nil
}

func (g *Gate) mend(ctx context.Context, missing []Live, orphans []Receipt) (Mended, error) {
	live, gone := make([][]Live, len(g.buckets)), make([][][2]string, len(g.buckets))
	for _, l := range missing {
		home := g.home(l.Account)
		live[home] = append(live[home], l)
	}
	for _, r := range orphans {
		home := g.home(r.Account)
		gone[home] = append(gone[home], [2]string{r.Hold, r.Entry})
	}
	var m Mended
	for asks := range pages(live, mended, func(page []Live) []any { return []any{wireLive(page), "[]", "[]"} }) {
		if err := m.add(g.askAll(ctx, scriptMend, asks)); err != nil {
			return Mended{}, err
		}
	}
	for asks := range pages(gone, mended, func(page [][2]string) []any { return []any{"[]", wire(page), "[]"} }) {
		if err := m.add(g.askAll(ctx, scriptMend, asks)); err != nil {
			return Mended{}, err
		}
	}
	err := g.recount(ctx, &m)
	return m, err
}

// mended is how many receipts one script sets right.
const mended = 50

// add counts what lua/mend.lua did. It took the units of what it restored.
func (m *Mended) add(answers []reply, err error) error {
	for _, r := range answers {
		var restored, taken, freed, refiled int
		if err == nil {
			err = r.ok(&restored, &taken, &freed, &refiled)
		}
		m.Restored += restored
		m.Shifted -= taken
		m.Freed += freed
		m.Refiled += refiled
	}
	return err
}

// recounts is how often the receipts are read at most until nothing moved meanwhile.
const recounts = 3

// recount reads the receipts, and sets right the stock, the count of paid units and
// the index. A bucket in which something moves all the time is left to the next Mend.
func (g *Gate) recount(ctx context.Context, m *Mended) error {
	for range recounts {
		_, all, err := g.audit(ctx)
		if err != nil {
			return err
		}
		steady, err := g.shift(ctx, m, all)
		if err != nil {
			return err
		}
		unnamed := make([][]string, len(all))
		for i, r := range all {
			unnamed[i] = r.unnamed
		}
		for asks := range pages(unnamed, mended, func(page []string) []any { return []any{"[]", "[]", wireHolds(page)} }) {
			if err := m.add(g.askAll(ctx, scriptMend, asks)); err != nil {
				return err
			}
		}
		if steady {
			break
		}
	}
	return nil
}

// shift sets the numbers of each bucket that was read in one state and is in it still.
// It reports whether all were.
func (g *Gate) shift(ctx context.Context, m *Mended, all []*reading) (steady bool, err error) {
	asks := make([]ask, 0, len(all))
	steady = true
	for i, r := range all {
		steady = steady && r.steady
		at := r.mark
		if !r.steady {
			at = Mark{} // of no gate
		}
		asks = append(asks, ask{i, []any{at.Epoch, at.Moves, r.out, r.paid, len(r.receipts)}})
	}
	answers, err := g.askAll(ctx, scriptShift, asks)
	for _, r := range answers {
		var still bool
		var units int
		if err == nil {
			err = r.ok(&still, &units)
		}
		steady = steady && still
		m.Shifted += units
	}
	return steady, err
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
		if err := g.condemn(ctx, c.snap.Mark.Epoch, fmt.Sprintf("its buckets have %d units, not %d", have, c.snap.Total)); err != nil {
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
