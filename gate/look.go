package gate

import (
	"context"
	"fmt"
)

// Snapshot is one look at a gate. Of several buckets it is not of one moment, but
// no unit is counted twice or left out: where one is on its way follows from the
// numbers of the transfers.
type Snapshot struct {
	Mark    Mark   // of several buckets: their one epoch, and all of their moves
	Total   int    // units of the sale
	Left    int    // units in the buckets
	Transit int    // units on their way from one bucket to another
	Paid    int    // units whose order is paid, as far as the ledger has told
	Backlog int    // winners in the streams, not yet in the ledger
	Missing bool   // there is no gate, or not all of it: never built, or forgotten
	Closed  string // why it sells nothing; empty when it sells
	Floor   uint64 // a rebuild must choose an epoch above this one

	// Orders, whatever their units, that were ever told yes, and those of them that
	// have ended without a unit of theirs: given back, or refused by the ledger.
	// Won - Lapsed are out. One whose late money took a unit again counts once more.
	// Both only grow; after a rebuild, and in a gate from before they were counted,
	// they begin at the orders that live, and none lapsed. Of several buckets each
	// was counted in a moment of its own.
	Won, Lapsed uint64
}

// Open reports whether the gate sells.
func (s Snapshot) Open() bool { return !s.Missing && s.Closed == "" }

// Offered is how many units can be had now: those left, and those in transit.
func (s Snapshot) Offered() int { return s.Left + s.Transit }

// Final reports whether no unit can ever come back: all are paid.
func (s Snapshot) Final() bool { return s.Open() && s.Offered() == 0 && s.Paid >= s.Total }

// Look reads the gate's state, of all buckets in one round trip, without any
// list. Of several buckets it says that nothing is offered only when there was a
// moment at which nothing was: that takes a second round trip, unless the look
// before this one saw the same. It also ends transfers that lie about since then.
func (g *Gate) Look(ctx context.Context) (Snapshot, error) {
	last := g.remembered()
	now, err := g.collect(ctx)
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at gate: %w", err)
	}
	defer func() { g.remember(now) }()
	if late := lying(last, now); len(late) > 0 && now.snap.Open() {
		if err := g.credit(ctx, now.snap.Mark.Epoch, late); err != nil {
			return Snapshot{}, fmt.Errorf("look at gate: %w", err)
		}
	}
	for range confirmations {
		if !now.snap.Open() || now.offers(1) || !last.offers(1) && last.confirms(now) {
			return now.snap, nil
		}
		last = now
		if now, err = g.collect(ctx); err != nil {
			return Snapshot{}, fmt.Errorf("look at gate: %w", err)
		}
	}
	snap := now.snap
	snap.Left = max(1, snap.Left) // units are on the move: somebody should ask for one
	return snap, nil
}

// confirmations is how often a look that sees nothing left is repeated at most.
const confirmations = 3
