package gate

import (
	"context"
	"fmt"
)

// Audit is everything the gate holds, each bucket read in one step.
type Audit struct {
	Snapshot
	Receipts []Receipt
	Misfiled int // accounts and tickets whose index entry is not what the receipts say
}

// Audit reads the gate whole, for the reconciler: as many receipts as units are
// out. Units that are left, in transit and out make the total, also of several
// buckets that sell meanwhile: each bucket adds up in itself, and what is on its
// way follows from the numbers of the transfers.
func (g *Gate) Audit(ctx context.Context) (Audit, error) {
	for try := 1; ; try++ {
		seen := g.newestAll()
		answers, err := g.each(ctx, g.all(), scriptAudit, len(g.buckets))
		if err != nil {
			return Audit{}, fmt.Errorf("audit gate: %w", err)
		}
		var a Audit
		parts := make([]part, len(answers))
		for i, r := range answers {
			if parts[i], err = a.add(r); err != nil {
				return Audit{}, fmt.Errorf("audit gate: %w", err)
			}
		}
		var outran bool
		if a.Snapshot, _, outran = assemble(parts, seen); !outran || try == collects {
			return a, nil
		}
	}
}

// add reads what lua/audit.lua answers of one bucket: the state, the count of wrong
// index entries, then each hold and its receipt.
func (a *Audit) add(r reply) (part, error) {
	if len(r) <= lookFields {
		return part{}, fmt.Errorf("read reply: %d fields, too few for an audit", len(r))
	}
	p, err := readPart(r[:lookFields])
	if err != nil {
		return part{}, err
	}
	var misfiled int
	if err := r[lookFields : lookFields+1].scan(&misfiled); err != nil {
		return part{}, err
	}
	a.Misfiled += misfiled
	pairs := r[lookFields+1:]
	if len(pairs)%2 != 0 {
		return part{}, fmt.Errorf("read reply: %d fields, the last receipt is cut off", len(r))
	}
	for i := 0; i < len(pairs); i += 2 {
		receipt, err := parseReceipt(pairs[i], pairs[i+1])
		if err != nil {
			return part{}, err
		}
		a.Receipts = append(a.Receipts, receipt)
	}
	return p, nil
}
