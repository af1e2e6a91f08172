package gate

import (
	"context"
	"fmt"
	"time"
)

// Audit is everything the gate holds.
type Audit struct {
	Snapshot
	Receipts []Receipt
	Misfiled int  // receipts that the index does not name under their account and their ticket
	Steady   bool // nothing moved while it was read: what is offered and out makes the total
}

// Audit reads the gate whole, for the reconciler, page after page. Whatever had a
// receipt from before the call until its end is listed; of those that come or go
// meanwhile some are.
func (g *Gate) Audit(ctx context.Context) (Audit, error) {
	a, _, err := g.audit(ctx)
	if err != nil {
		return Audit{}, fmt.Errorf("audit gate: %w", err)
	}
	return a, nil
}

func (g *Gate) audit(ctx context.Context) (Audit, []*reading, error) {
	all, err := g.readReceipts(ctx)
	if err != nil {
		return Audit{}, nil, err
	}
	c, err := g.collect(ctx)
	if err != nil {
		return Audit{}, nil, err
	}
	a := Audit{Snapshot: c.snap, Steady: !c.outran}
	for i, r := range all {
		r.steady = r.steady && r.mark == c.parts[i].mark
		a.Steady = a.Steady && r.steady
		a.Receipts = append(a.Receipts, r.receipts...)
		a.Misfiled += len(r.unnamed)
	}
	return a, all, nil
}

// receiptsPage is about how many receipts one script reads. A hash that Redis keeps
// as a list comes whole: it is small.
const receiptsPage = 100

// reading is what was read of one bucket's receipts.
type reading struct {
	receipts []Receipt
	unnamed  []string // holds of those that the index does not name
	out      int      // units
	paid     int      // units of these whose note says so
	mark     Mark     // also of a closed gate
	steady   bool     // it was that of every page
	cursor   string
	has      map[string]bool
}

// readReceipts reads the receipts of every bucket, a page of each at a time.
func (g *Gate) readReceipts(ctx context.Context) ([]*reading, error) {
	all := make([]*reading, len(g.buckets))
	asks := make([]ask, len(g.buckets))
	for i := range all {
		all[i] = &reading{has: map[string]bool{}}
		asks[i] = ask{i, []any{"0", receiptsPage}}
	}
	for len(asks) > 0 {
		answers, err := g.askAll(ctx, scriptAudit, asks)
		if err != nil {
			return nil, err
		}
		var more []ask
		for i, r := range answers {
			one := all[asks[i].bucket]
			if err := one.add(r); err != nil {
				return nil, err
			}
			if one.cursor != "0" {
				more = append(more, ask{asks[i].bucket, []any{one.cursor, receiptsPage}})
			}
		}
		asks = more
	}
	return all, nil
}

// auditFields is how many fields lua/audit.lua answers before the receipts.
const auditFields = 5

// add reads a page.
func (one *reading) add(r reply) error {
	if len(r.fields) < auditFields || (len(r.fields)-auditFields)%4 != 0 {
		return fmt.Errorf("read reply: %d fields, the last receipt is cut off", len(r.fields))
	}
	first, mark, now := one.cursor == "", Mark{}, time.Time{}
	if err := (reply{fields: r.fields[:auditFields]}).ok(&one.cursor, &mark.Epoch, &mark.Moves, &now); err != nil {
		return err
	}
	one.steady = first || one.steady && mark == one.mark
	one.mark = mark
	for rest := r.fields[auditFields:]; len(rest) > 0; rest = rest[4:] {
		receipt, err := parseReceipt(rest[0], rest[1])
		if err != nil {
			return err
		}
		if one.has[receipt.Hold] {
			continue
		}
		receipt.Age = now.Sub(receipt.Taken)
		one.has[receipt.Hold] = true
		one.receipts = append(one.receipts, receipt)
		one.out += receipt.Qty
		if rest[2] != "1" {
			one.unnamed = append(one.unnamed, receipt.Hold)
		}
		if rest[3] == "1" {
			one.paid += receipt.Qty
		}
	}
	return nil
}
