package chaos_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/balance"
	"github.com/waitroom/waitroom/ledger"
)

func (r *round) newInspector(books *ledger.Books) *ledger.Worker {
	w, err := ledger.NewWorker(configs.Worker{Name: "inspector"}, []*configs.Sale{r.sale}, books,
		func(context.Context, string) (*gate.Gate, error) { return r.gate, nil }, prometheus.NewRegistry(), zap.NewNop())
	r.must(err)
	return w
}

// calm is for how long nothing may be on its way: longer than the workers take
// from one look at the gate to the next.
const calm = 1500 * time.Millisecond

// settle waits until nothing has been on its way for a while, has the gate mended
// if it was damaged, and ends the workers.
func (r *round) settle() {
	r.rest()
	damages := r.some(func(f fault) bool { return f.damages })
	if !damages && r.some(func(f fault) bool { return f.strays }) {
		damages = r.onlyLateStrays()
	}
	if damages {
		r.mend()
		r.rest() // a winner that was lost on its way was sent anew
	}
	for _, w := range r.workers {
		w.stop()
	}
}

func (r *round) rest() {
	since := time.Now()
	r.soon("an open gate, an empty stream, and books in which nothing is on its way", func() bool {
		if !r.quiet() {
			since = time.Now()
		}
		return time.Since(since) >= calm
	})
}

func (r *round) some(is func(fault) bool) bool { return slices.ContainsFunc(r.faults, is) }

// onlyLateStrays reports whether there are receipts of no order. Only those may be
// that late money took, in the moment in which its worker died: they are of an
// order's second hold or a later one.
func (r *round) onlyLateStrays() (some bool) {
	audit, err := r.gate.Audit(r.ctx)
	r.must(err)
	live, _, _ := r.live()
	for _, receipt := range audit.Receipts {
		if _, owned := live[receipt.Hold]; owned {
			continue
		}
		some = true
		if !strings.Contains(receipt.Hold, "/") {
			r.t.Errorf("receipt %s is of no order, and of no late payment", receipt.Hold)
		}
	}
	return some
}

// mend is the reconciler's work, which comes by every half minute.
func (r *round) mend() {
	r.age()
	b, err := r.inspector.Reconcile(r.ctx, r.sale, true)
	if err != nil {
		r.t.Errorf("reconcile: %v", err)
	}
	if b.Mended > 0 {
		r.t.Logf("the reconciler mended %d: %d receipts without order, %d orders without receipt",
			b.Mended, b.ReceiptsWithoutOrder, b.OrdersWithoutReceipt)
	}
}

// quiet reports whether nothing is on its way now.
func (r *round) quiet() bool {
	ctx, cancel := context.WithTimeout(r.ctx, 5*time.Second)
	defer cancel()
	snap, err := r.gate.Look(ctx)
	if err != nil || !snap.Open() || snap.Backlog > 0 || snap.Transit > 0 {
		return false
	}
	var waiting int
	err = r.db.QueryRowContext(ctx, `SELECT
		(SELECT COUNT(*) FROM sale_orders WHERE status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL OR told < version
			OR status = 'PENDING_PAYMENT' AND pay_before < now())
		+ (SELECT COUNT(*) FROM refusals WHERE told < version)
		+ (SELECT COUNT(*) FROM early_payments e WHERE EXISTS (SELECT 1 FROM sale_orders o WHERE o.reservation_id = e.reservation_id))`).Scan(&waiting)
	return err == nil && waiting == 0
}

// check draws the balance. It returns how many units are sold.
func (r *round) check() int {
	r.t.Helper()
	if b, err := r.inspector.Reconcile(r.ctx, r.sale, false); err != nil || !b.Agree {
		r.t.Errorf("gate and books: %+v, %v", b, err)
	}
	balance.Books(r.t, r.db, r.sale.Key, r.sale.Stock)
	sold, held, paid := r.checkGate()
	lost := r.checkYeses()
	r.checkNotices()

	r.story.mu.Lock()
	defer r.story.mu.Unlock()
	for _, f := range r.story.faults {
		r.t.Error(f)
	}
	r.t.Logf("%s: stock %d in %d buckets, %d sold, of them %d held and %d paid; %v, %d yeses forgotten",
		r.scenario, r.sale.Stock, r.sale.Buckets, sold, held, paid, r.story.asks, lost)
	return sold
}

// checkGate: start stock = left + in transit + held + sold, in both, and every
// receipt is that of a live order.
func (r *round) checkGate() (sold, held, paid int) {
	r.t.Helper()
	audit, err := r.gate.Audit(r.ctx)
	if err != nil {
		r.t.Errorf("audit gate: %v", err)
		return
	}
	units, held, paid := r.live()
	for _, receipt := range audit.Receipts {
		if units[receipt.Hold] != receipt.Qty {
			r.t.Errorf("receipt %s is of %d units, its order has %d", receipt.Hold, receipt.Qty, units[receipt.Hold])
		}
		delete(units, receipt.Hold)
	}
	for hold := range units {
		r.t.Errorf("order %s has no receipt", hold)
	}
	sold = held + paid
	balance.Gate(r.t, audit, r.sale.Stock, sold)
	if audit.Paid != paid {
		r.t.Errorf("gate knows of %d paid units, the books of %d", audit.Paid, paid)
	}
	return sold, held, paid
}

// live are the units of live orders by their holds, and how many are held and paid.
func (r *round) live() (units map[string]int, held, paid int) {
	r.t.Helper()
	rows, err := r.db.QueryContext(r.ctx, `SELECT reservation_id::text, holds, qty, status FROM sale_orders
		WHERE sale = $1 AND status IN ('PENDING_PAYMENT', 'PAID')`, r.sale.Key)
	r.must(err)
	defer func() { _ = rows.Close() }()
	units = map[string]int{}
	for rows.Next() {
		var id, status string
		var holds, qty int
		r.must(rows.Scan(&id, &holds, &qty, &status))
		units[gate.HoldID(id, holds)] = qty
		if status == "PAID" {
			paid += qty
		} else {
			held += qty
		}
	}
	r.must(rows.Err())
	return units, held, paid
}

// checkYeses: every yes is an order or a refusal, and its shopper can see it; one
// key has one reservation at a time. Only what Redis was made to forget is excused.
func (r *round) checkYeses() (lost int) {
	r.t.Helper()
	status := balance.Statuses(r.t, r.db, r.sale.Key)
	for id, y := range r.story.yeses {
		n, known, err := r.gate.Find(r.ctx, y.account, id)
		switch {
		case err != nil:
			r.t.Errorf("find %s: %v", id, err)
		case status[id] == "" && r.excused(id):
			lost++
		case status[id] == "":
			r.t.Errorf("%s was told yes in epoch %d, and has neither order nor refusal", id, y.mark.Epoch)
		case !known && !r.excused(id):
			r.t.Errorf("%s is %s, and its shopper is told nothing", id, status[id])
		case status[id] == "refused" && known && n.Status != gate.Refused && n.Status != gate.RefundDue:
			r.t.Errorf("%s was refused, and its shopper is told %s", id, n.Status)
		}
	}
	for id, next := range r.story.torn {
		// Once its hold has ended, a key is free.
		if live := status[id] == "PAID" || status[id] == "PENDING_PAYMENT"; live && !r.excused(id) {
			r.t.Errorf("one key was told of %s, which is %s, and of %s", id, status[id], next)
		}
	}
	return lost
}

// checkNotices: what the shop was told of a payment is so, and none is undecided.
func (r *round) checkNotices() {
	r.t.Helper()
	status := balance.Statuses(r.t, r.db, r.sale.Key)
	outcomes := balance.Pairs(r.t, r.db, `SELECT payment_id, outcome FROM payments
		UNION SELECT payment_id, 'waiting' FROM early_payments`)
	for id, n := range r.story.notices {
		switch got := outcomes[id]; {
		case n.said == "finishing" && got == "waiting" && status[n.reservation] == "" && r.excused(n.reservation):
		case n.said == "finishing" && (got == "paid" || got == "refund_due"):
		case n.said != got:
			r.t.Errorf("payment %s for %s: told %s, in the books %q", id, n.reservation, n.said, got)
		case got == "paid" && status[n.reservation] != "PAID":
			r.t.Errorf("payment %s is told paid, its order is %q", id, status[n.reservation])
		}
	}
}

// swap leaves alone a receipt that has changed or gone since.
var swap = redis.NewScript(`
	if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
	return 1`)

// age makes all receipts two minutes older: the reconciler leaves young ones to
// those who may be at them.
func (r *round) age() {
	rdb, err := connect(r.redisURL, newRelays(r.t))
	r.must(err)
	defer func() { _ = rdb.Close() }()
	for bucket := range r.sale.Buckets {
		key := r.key(bucket, "receipts")
		receipts, err := rdb.HGetAll(r.ctx, key).Result()
		r.must(err)
		for hold, value := range receipts {
			var receipt map[string]any
			r.must(json.Unmarshal([]byte(value), &receipt))
			taken, _ := receipt["taken"].(float64)
			receipt["taken"] = int64(taken) - (2 * time.Minute).Milliseconds()
			aged, err := json.Marshal(receipt)
			r.must(err)
			r.must(swap.Run(r.ctx, rdb, []string{key}, hold, value, aged).Err())
		}
	}
}
