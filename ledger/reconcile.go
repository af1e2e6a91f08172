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
	// reconcileRest is the least time between two that are asked for by doubt.
	reconcileRest = time.Second
	// totalTries is how often totals are compared until they are the same, totalWait
	// how far apart: a keeper sets them one right after the other.
	totalTries = 3
	totalWait  = 200 * time.Millisecond
)

// Reconcile compares a sale's books and gate, live, without touching anything
// that a hold, a winner on its way or a sweeper owns. With mend the gate is made
// to agree with the books, which are never changed here, and shoppers are told again
// what it has forgotten to tell them; asked again, it then has nothing to change.
func (w *Worker) Reconcile(ctx context.Context, sale *configs.Sale, mend bool) (Balance, error) {
	return w.reconcile(ctx, sale.Key, mend)
}

func (w *Worker) reconcile(ctx context.Context, key string, mend bool) (Balance, error) {
	g, err := w.gateOf(ctx, key)
	if err != nil {
		return Balance{}, fmt.Errorf("reconcile %s: %w", key, err)
	}
	a, found, err := w.compareAtRest(ctx, g, key)
	if err != nil || !mend || !found.open {
		return a, err
	}
	n, err := w.mend(ctx, g, key, found)
	if err != nil {
		return Balance{}, fmt.Errorf("reconcile %s: %w", key, err)
	}
	if n > 0 {
		before := a
		if a, _, err = w.compare(ctx, g, key); err != nil {
			return Balance{}, err
		}
		a.Mended = n
		a.ReceiptsWithoutOrder, a.OrdersWithoutReceipt = before.ReceiptsWithoutOrder, before.OrdersWithoutReceipt
		w.metrics.mended.WithLabelValues(saleID(key)).Add(float64(n))
	}
	if err := w.tellAgain(ctx, key, g); err != nil {
		return Balance{}, fmt.Errorf("reconcile %s: %w", key, err)
	}
	return a, nil
}

// mend does what differences ask for, and returns how many things it changed.
func (w *Worker) mend(ctx context.Context, g *gate.Gate, key string, found differences) (int, error) {
	sent, err := w.sendAnew(ctx, g, key, found.alone)
	if err != nil || !found.mendable() {
		return sent, err
	}
	done, err := g.Mend(ctx, found.missing, found.orphans)
	if errors.Is(err, gate.ErrClosed) {
		return sent, nil
	}
	n := done.Restored + done.Freed + max(done.Shifted, -done.Shifted) + done.Refiled
	if n > 0 {
		w.log.Warn("gate mended", zap.String("sale", key), zap.Int("restored", done.Restored),
			zap.Int("freed", done.Freed), zap.Int("shifted", done.Shifted), zap.Int("refiled", done.Refiled))
	}
	return sent + n, err
}

// compareAtRest is compare, and again where books and gate have not the same total: it
// may be on its way from the one to the other.
func (w *Worker) compareAtRest(ctx context.Context, g *gate.Gate, key string) (Balance, differences, error) {
	for try := 1; ; try++ {
		a, found, err := w.compare(ctx, g, key)
		if err != nil || !found.open || !found.total || try == totalTries || !pause(ctx, totalWait) {
			return a, found, err
		}
	}
}

// compare reads books, gate and books again: between two reads orders move, and
// only what is so on both sides of the gate's moment is a difference.
func (w *Worker) compare(ctx context.Context, g *gate.Gate, key string) (Balance, differences, error) {
	before, err := w.books.standing(ctx, key)
	if err != nil {
		return Balance{}, differences{}, err
	}
	audit, err := g.Audit(ctx)
	if err != nil {
		return Balance{}, differences{}, fmt.Errorf("reconcile %s: %w", key, err)
	}
	counts, err := w.books.Counts(ctx, key)
	if err != nil {
		return Balance{}, differences{}, err
	}
	after, err := w.books.standing(ctx, key)
	if err != nil {
		return Balance{}, differences{}, err
	}
	found := differ(before, after, audit, w.grace)
	a := Balance{
		Sale: key, Total: counts.Total, Sold: counts.Sold, Held: counts.Pending, Paid: counts.Paid,
		Left: audit.Left, InTransit: audit.Transit, InStream: audit.Backlog, Receipts: len(audit.Receipts),
		ReceiptsWithoutOrder: len(found.orphans), OrdersWithoutReceipt: len(found.missing),
	}
	out := unitsOut(audit)
	found.sums = audit.Steady && audit.Offered()+out != audit.Total || audit.Paid != counts.Paid || audit.Misfiled > 0
	found.total = audit.Total != counts.Total
	a.Why = judge(counts, audit, out, found)
	a.Agree = a.Why == ""
	if sale := w.sale(key); sale != nil {
		for _, f := range sale.Overruled() {
			a.Overruled = append(a.Overruled, f.String())
		}
	}
	w.metrics.differences.WithLabelValues(saleID(key)).Set(float64(len(found.orphans) + len(found.missing)))
	return a, found, nil
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

// reconcileAt reconciles a sale whenever there is doubt.
func (w *Worker) reconcileAt(ctx context.Context, key string, doubt nudge) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-doubt:
		}
		w.complain(ctx, "reconcile", within(ctx, stepTimeout, func(ctx context.Context) error {
			_, err := w.reconcile(ctx, key, true)
			return err
		}))
		pause(ctx, reconcileRest)
	}
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
