package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	reconcileEvery = 30 * time.Second
	// receiptGrace is how old a receipt without an order must be before it
	// counts as one that nobody owns: a late payment takes its unit before its
	// order knows.
	receiptGrace = time.Minute
)

// Reconcile compares a sale's books and gate, live, without touching anything
// that a hold, a winner on its way or a sweeper owns. With mend the gate is made
// to agree with the books, which are never changed here; asked again, it then
// has nothing to change.
func (w *Worker) Reconcile(ctx context.Context, sale *configs.Sale, mend bool) (Account, error) {
	g := w.gateOf(sale.Key)
	if g == nil {
		return Account{}, fmt.Errorf("reconcile %s: it has no gate", sale.Key)
	}
	a, found, err := w.compare(ctx, g, sale.Key)
	if err != nil {
		return Account{}, err
	}
	if mend && found.mendable() {
		done, err := g.Mend(ctx, found.missing, found.orphans, a.Paid)
		if err != nil && !errors.Is(err, gate.ErrClosed) {
			return Account{}, fmt.Errorf("reconcile %s: %w", sale.Key, err)
		}
		if n := done.Restored + done.Freed + max(done.Shifted, -done.Shifted); n > 0 {
			before := a
			if a, _, err = w.compare(ctx, g, sale.Key); err != nil {
				return Account{}, err
			}
			a.Mended = n
			a.ReceiptsWithoutOrder, a.OrdersWithoutReceipt = before.ReceiptsWithoutOrder, before.OrdersWithoutReceipt
			w.metrics.mended.WithLabelValues(saleID(sale.Key)).Add(float64(n))
			w.log.Warn("gate mended", zap.String("sale", sale.Key), zap.Int("restored", done.Restored),
				zap.Int("freed", done.Freed), zap.Int("shifted", done.Shifted))
		}
	}
	return a, nil
}

// differences are what Mend is told.
type differences struct {
	open    bool
	missing []gate.Live // live orders without a receipt
	orphans []string    // holds of receipts without an order
	sums    bool        // the gate's numbers do not add up, or its count of paid units is off
}

// mendable reports whether there is something that Mend can do.
func (d differences) mendable() bool {
	return d.open && (len(d.missing)+len(d.orphans) > 0 || d.sums)
}

// compare reads books, gate and books again: between two reads orders move, and
// only what is so on both sides of the gate's moment is a difference.
func (w *Worker) compare(ctx context.Context, g *gate.Gate, key string) (Account, differences, error) {
	before, err := w.books.standing(ctx, key)
	if err != nil {
		return Account{}, differences{}, err
	}
	audit, err := g.Audit(ctx)
	if err != nil {
		return Account{}, differences{}, fmt.Errorf("reconcile %s: %w", key, err)
	}
	counts, err := w.books.Counts(ctx, key)
	if err != nil {
		return Account{}, differences{}, err
	}
	after, err := w.books.standing(ctx, key)
	if err != nil {
		return Account{}, differences{}, err
	}
	found := differ(before, after, audit, time.Now().Add(-w.grace))
	a := Account{
		Sale: key, Total: counts.Total, Sold: counts.Sold, Held: counts.Pending, Paid: counts.Paid,
		Left: audit.Left, InStream: audit.Backlog, Receipts: len(audit.Receipts),
		ReceiptsWithoutOrder: len(found.orphans), OrdersWithoutReceipt: len(found.missing),
	}
	out := unitsOut(audit)
	found.sums = audit.Left+out != audit.Total || audit.Paid != counts.Paid
	a.Why = judge(counts, audit, out, found)
	a.Agree = a.Why == ""
	w.metrics.differences.WithLabelValues(saleID(key)).Set(float64(len(found.orphans) + len(found.missing)))
	return a, found, nil
}

// standing reads the orders that have something at the gate, by hold: live ones,
// and ended ones whose give-back is not recorded.
func (b *Books) standing(ctx context.Context, key string) (map[string]order, error) {
	orders, err := rows(ctx, b.plain(), scanOrder, `SELECT `+orderColumns+` FROM sale_orders WHERE sale = $1
		AND (status IN ('PENDING_PAYMENT', 'PAID') OR released_at IS NULL)`, key)
	if err != nil {
		return nil, fmt.Errorf("read orders of %s: %w", key, err)
	}
	byHold := make(map[string]order, len(orders))
	for _, o := range orders {
		byHold[o.hold()] = o
	}
	return byHold, nil
}

// differ finds live orders without a receipt and receipts without an order. A
// receipt taken after old may belong to something that is under way; so may one
// whose winner is still in the stream, which Mend looks up itself.
func differ(before, after map[string]order, audit gate.Audit, old time.Time) differences {
	d := differences{open: audit.Open()}
	has := make(map[string]bool, len(audit.Receipts))
	for _, r := range audit.Receipts {
		has[r.Hold] = true
		_, owned := after[r.Hold]
		if !owned && r.Taken.Before(old) && (r.Entry == "" || audit.Backlog == 0) {
			d.orphans = append(d.orphans, r.Hold)
		}
	}
	for hold, o := range after {
		if b, was := before[hold]; was && b.Status.Live() && o.Status.Live() && !has[hold] {
			d.missing = append(d.missing, gate.Live{Receipt: o.receipt(), Note: o.note()})
		}
	}
	return d
}

// judge says in words why books and gate do not agree; empty when they do.
func judge(c Counts, audit gate.Audit, out int, d differences) string {
	switch {
	case !c.Balanced():
		return fmt.Sprintf("the books themselves: sold %d, orders %d, journal %d, total %d", c.Sold, c.Pending+c.Paid, c.Journal, c.Total)
	case audit.Missing:
		return "there is no gate"
	case !d.open:
		return "the gate is closed: " + audit.Closed
	case audit.Total != c.Total:
		return fmt.Sprintf("the gate has %d units in all, the books %d", audit.Total, c.Total)
	case audit.Left+out != audit.Total:
		return fmt.Sprintf("the gate has %d units left and %d out of %d", audit.Left, out, audit.Total)
	case len(d.orphans) > 0:
		return "a receipt has no order: " + d.orphans[0]
	case len(d.missing) > 0:
		return "an order has no receipt: " + d.missing[0].Note.Reservation
	default:
		return ""
	}
}

func unitsOut(audit gate.Audit) (n int) {
	for _, r := range audit.Receipts {
		n += r.Qty
	}
	return n
}

// reconcileAll goes over the configured sales, slowly and for ever.
func (w *Worker) reconcileAll(ctx context.Context) error {
	var faults []error
	for _, sale := range *w.sales.Load() {
		_, err := w.Reconcile(ctx, sale, true)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
