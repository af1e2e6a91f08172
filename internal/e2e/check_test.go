package e2e_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/internal/balance"
)

// settle waits until nothing is on its way any more.
func (r *round) settle() {
	r.t.Helper()
	db := balance.Open(r.t, r.postgres.URL)
	eventually(r.t, "nothing is pending, unreleased or in the stream, and the gate is open", func() bool {
		ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Second)
		defer cancel()
		snap, err := r.gate.Look(ctx)
		return err == nil && snap.Open() && snap.Backlog == 0 && balance.Count(r.t, db, `SELECT COUNT(*) FROM sale_orders
			WHERE status = 'PENDING_PAYMENT' OR status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL`) == 0
	})
}

// check holds the books and the gate to what was said and to each other.
func (r *round) check() {
	t := r.t
	t.Helper()
	for _, f := range r.told.faults {
		t.Error(f)
	}
	db := balance.Open(t, r.postgres.URL)
	sold := balance.Count(t, db, `SELECT sold FROM sale_stock WHERE sale = $1`, saleID)
	t.Logf("stock %d, rate %d/s, burst %d: %d yeses, %d sold, %d refused, answers %v",
		r.sale.stock, r.sale.rate, r.sale.burst, len(r.told.yeses), sold, len(r.told.refusals), r.told.answers)

	balance.Books(t, db, saleID, r.sale.stock)
	r.checkYeses(db)
	r.reconcile()
	r.checkGate(sold)
	r.checkPasses()
	if sold < r.sale.stock/2 {
		t.Errorf("only %d of %d were sold: the sale stood still", sold, r.sale.stock)
	}
	if !r.plan.forgets && len(r.told.torn) > 0 {
		t.Errorf("%d presses got two reservations each", len(r.told.torn))
	}
}

// checkYeses: every yes is an order, or was taken back and its shopper told. Only
// what Redis forgot is excused, and then nobody may be told that it is there.
func (r *round) checkYeses(db *sql.DB) {
	r.t.Helper()
	status := balance.Statuses(r.t, db, saleID)
	forgotten := 0
	for _, reservation := range r.told.reservations() {
		s := r.crowd[r.told.yeses[reservation]]
		switch status[reservation] {
		case "refused":
			if says := r.says(s, reservation); says != "" && says != "refused" && says != "refund_due" {
				r.t.Errorf("%s was refused, and its shopper is told %q", reservation, says)
			}
		case "":
			forgotten++
			if says := r.says(s, reservation); !r.plan.forgets || says != "" {
				r.t.Errorf("%s was told yes, has no order, and its shopper is told %q", reservation, says)
			}
		}
	}
	for reservation := range r.told.paidOrders {
		if status[reservation] != "PAID" {
			r.t.Errorf("%s was told paid, and is %q in the books", reservation, status[reservation])
		}
	}
	for reservation := range r.told.refusals {
		if status[reservation] != "refused" {
			r.t.Errorf("%s was told refused, and is %q in the books", reservation, status[reservation])
		}
	}
	if forgotten > 0 {
		r.t.Logf("%d yeses were forgotten for good", forgotten)
	}
}

// says is what a shopper is told of a reservation now; empty when it is none
// that the shopper has.
func (r *round) says(s *shopper, reservation string) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	a, _ := s.try(ctx, http.MethodGet, own("order"), "", nil)
	if a.Reservation != reservation {
		return ""
	}
	return a.Status
}

// checkGate: the gate has what the books have.
func (r *round) checkGate(sold int) {
	r.t.Helper()
	audit, err := r.gate.Audit(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	balance.Gate(r.t, audit, r.sale.stock, sold)
}

// checkPasses: over all edges, whichever of them died.
func (r *round) checkPasses() {
	r.t.Helper()
	may := r.sale.rate + r.sale.burst
	if r.plan.refills {
		may += r.sale.burst
	}
	if most := r.told.mostWithin(1000); most > may {
		r.t.Errorf("%d passes within a second, at most %d are right", most, may)
	}
}

// reconcile asks the program twice: it must find all in order, and must not have
// left anything to mend.
func (r *round) reconcile() {
	r.t.Helper()
	for _, again := range []bool{false, true} {
		got := run(r.t, "orderworker", "reconcile", "--json", "--config", r.workers[0].config)
		var accounts []struct {
			Mended int    `json:"mended"`
			Agree  bool   `json:"agree"`
			Why    string `json:"why"`
		}
		if err := json.Unmarshal([]byte(got.out), &accounts); err != nil || len(accounts) != 1 {
			r.t.Fatalf("reconcile printed %q: %v", got.out, err)
		}
		a := accounts[0]
		if got.code != 0 || !a.Agree || a.Mended > 0 && (again || !r.plan.forgets) {
			r.t.Errorf("reconcile, again %v: exit code %d, %+v", again, got.code, a)
		}
	}
}
