package gate

import (
	"context"
	"encoding/json"
	"fmt"
)

// Audit is everything the gate holds, read in one step.
type Audit struct {
	Snapshot
	Receipts []Receipt
	Misfiled int // accounts and tickets whose index entry is not what the receipts say
}

// Audit reads the gate whole, for the reconciler: as many receipts as units
// are out.
func (g *Gate) Audit(ctx context.Context) (Audit, error) {
	r, err := g.callAgain(ctx, 0, scriptAudit)
	if err != nil {
		return Audit{}, fmt.Errorf("audit gate: %w", err)
	}
	a, err := readAudit(r)
	if err != nil {
		return Audit{}, fmt.Errorf("audit gate: %w", err)
	}
	return a, nil
}

// readAudit reads what lua/audit.lua answers: the state, the count of wrong index
// entries, then each hold and its receipt.
func readAudit(r reply) (a Audit, err error) {
	if len(r) <= lookFields {
		return Audit{}, fmt.Errorf("read reply: %d fields, too few for an audit", len(r))
	}
	if a.Snapshot, err = readSnapshot(r[:lookFields]); err != nil {
		return Audit{}, err
	}
	if err := r[lookFields : lookFields+1].scan(&a.Misfiled); err != nil {
		return Audit{}, err
	}
	pairs := r[lookFields+1:]
	if len(pairs)%2 != 0 {
		return Audit{}, fmt.Errorf("read reply: %d fields, the last receipt is cut off", len(r))
	}
	for i := 0; i < len(pairs); i += 2 {
		receipt, err := parseReceipt(pairs[i], pairs[i+1])
		if err != nil {
			return Audit{}, err
		}
		a.Receipts = append(a.Receipts, receipt)
	}
	return a, nil
}

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
// is left alone. paid is the ledger's count of paid units. It fails with
// ErrClosed.
func (g *Gate) Mend(ctx context.Context, missing []Live, orphans []Receipt, paid int) (Mended, error) {
	live, err := json.Marshal(wireLive(missing))
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	holds := make([]string, 0, len(orphans))
	for _, r := range orphans {
		holds = append(holds, r.Hold)
	}
	gone, err := json.Marshal(holds)
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	var m Mended
	r, err := g.callAgain(ctx, 0, scriptMend, live, gone, paid)
	if err == nil {
		err = r.ok(&m.Restored, &m.Freed, &m.Shifted, &m.Refiled)
	}
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	return m, nil
}
