package gate

import (
	"context"
	"fmt"
)

// Snapshot is one look at a gate.
type Snapshot struct {
	Mark    Mark
	Total   int
	Left    int    // units in the buckets
	Transit int    // units on their way from one bucket to another
	Paid    int    // units whose order is paid, as far as the ledger has told
	Backlog int    // winners in the stream, not yet in the ledger
	Missing bool   // there is no gate: never built, or forgotten
	Closed  string // why it sells nothing; empty when it sells
	Floor   uint64 // a rebuild must choose an epoch above this one
}

// Open reports whether the gate sells.
func (s Snapshot) Open() bool { return !s.Missing && s.Closed == "" }

// Offered is how many units can be had now: those left, and those in transit.
func (s Snapshot) Offered() int { return s.Left + s.Transit }

// Final reports whether no unit can ever come back: all are paid.
func (s Snapshot) Final() bool { return s.Open() && s.Offered() == 0 && s.Paid >= s.Total }

// Look reads the gate's state: one call, no list.
func (g *Gate) Look(ctx context.Context) (Snapshot, error) {
	r, err := g.callAgain(ctx, 0, scriptLook)
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at gate: %w", err)
	}
	s, err := readSnapshot(r)
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at gate: %w", err)
	}
	if s.Open() {
		g.saw(0, s.Mark)
	}
	return s, nil
}

// lookFields is how many fields tell a gate's state, see look in
// lua/prelude.lua.
const lookFields = 10

func readSnapshot(r reply) (Snapshot, error) {
	var s Snapshot
	var built bool
	err := r.ok(&built, &s.Mark.Epoch, &s.Mark.Moves, &s.Total, &s.Left, &s.Paid, &s.Backlog, &s.Closed, &s.Floor)
	if err != nil {
		return Snapshot{}, err // a zero state would be one that is open and sold out
	}
	s.Missing = !built
	return s, nil
}
