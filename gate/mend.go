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
}

// Audit reads the gate whole, for the reconciler: as many receipts as units
// are out.
func (g *Gate) Audit(ctx context.Context) (Audit, error) {
	reply, err := runTwice(ctx, g.rdb, auditScript, g.keys.all())
	if err != nil {
		return Audit{}, fmt.Errorf("audit gate: %w", err)
	}
	a := Audit{Snapshot: snapshotOf(reply)}
	for i := 9; i+1 < len(reply); i += 2 {
		r, err := parseReceipt(reply.text(i), reply.text(i+1))
		if err != nil {
			return Audit{}, fmt.Errorf("audit gate: %w", err)
		}
		a.Receipts = append(a.Receipts, r)
	}
	return a, nil
}

// Close stops sales and names why. A gate that is missing becomes one that is
// closed. Shut with a reason of their own, two rebuilders notice each other.
func (g *Gate) Close(ctx context.Context, why string) error {
	if _, err := runTwice(ctx, g.rdb, closeScript, g.keys.all(), why); err != nil {
		return fmt.Errorf("close gate: %w", err)
	}
	return nil
}

// Books are what a gate is rebuilt from: the ledger's picture of the sale.
type Books struct {
	Epoch uint64 // above every epoch that the ledger and the gate know
	Total int
	Live  []Live // orders that hold or have bought units
}

// Live is an order that holds or has bought units.
type Live struct {
	Receipt
	Note Note
}

// Rebuild replaces stock and receipts by what the ledger says and opens the
// gate. The gate must have been closed with the same why since before the books
// were read, and no winner may be on its way; else nothing changes and it
// reports false: begin again.
func (g *Gate) Rebuild(ctx context.Context, why string, b Books) (bool, error) {
	live, err := json.Marshal(wireLive(b.Live))
	if err != nil {
		return false, fmt.Errorf("rebuild gate: %w", err)
	}
	reply, err := runTwice(ctx, g.rdb, rebuildScript, g.keys.all(), why, b.Epoch, b.Total, live)
	if err != nil {
		return false, fmt.Errorf("rebuild gate: %w", err)
	}
	return reply.text(0) == "ok", nil
}

// SetTotal changes how many units the sale has and adds or takes exactly the
// difference. Units that are out are never taken back: what cannot be taken is
// left, and the total that came of it is returned.
func (g *Gate) SetTotal(ctx context.Context, total int) (int, error) {
	reply, err := runTwice(ctx, g.rdb, totalScript, g.keys.all(), total)
	if err != nil {
		return 0, fmt.Errorf("set total: %w", err)
	}
	if code := reply.text(0); code != "ok" {
		return 0, refusal(code)
	}
	return int(reply.count(1)), nil
}

// Mended says what one Mend changed.
type Mended struct {
	Restored int // receipts written for live orders that had none
	Freed    int // units given back of receipts that nobody owns
	Shifted  int // units added to stock (negative: removed) so that stock + receipts = total
}

// Mend makes the gate agree with the ledger without touching what a hold or a
// winner on its way owns: missing lists live orders without a receipt, orphans
// holds whose receipt has no order. An orphan whose stream entry is still there
// is left alone. paid is the ledger's count of paid units.
func (g *Gate) Mend(ctx context.Context, missing []Live, orphans []string, paid int) (Mended, error) {
	live, err := json.Marshal(wireLive(missing))
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	gone, err := json.Marshal(append([]string{}, orphans...))
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	reply, err := runTwice(ctx, g.rdb, mendScript, g.keys.all(), live, gone, paid)
	if err != nil {
		return Mended{}, fmt.Errorf("mend gate: %w", err)
	}
	if code := reply.text(0); code != "ok" {
		return Mended{}, refusal(code)
	}
	return Mended{
		Restored: int(reply.number(1)),
		Freed:    int(reply.number(2)),
		Shifted:  int(reply.number(3)),
	}, nil
}
