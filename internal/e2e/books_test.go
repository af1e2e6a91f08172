package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// settle waits until nothing is on its way any more.
func (r *round) settle() {
	r.t.Helper()
	db := connect(r.t, r.postgres.URL)
	eventually(r.t, "nothing is pending, unreleased or in the stream, and the gate is open", func() bool {
		ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Second)
		defer cancel()
		snap, err := r.gate.Look(ctx)
		return err == nil && snap.Open() && snap.Backlog == 0 && count(r.t, db, `SELECT COUNT(*) FROM sale_orders
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
	db := connect(t, r.postgres.URL)
	sold := count(t, db, `SELECT sold FROM sale_stock WHERE sale = $1`, saleID)
	t.Logf("stock %d, rate %d/s, burst %d: %d yeses, %d sold, %d refused, answers %v",
		r.sale.stock, r.sale.rate, r.sale.burst, len(r.told.yeses), sold, len(r.told.refusals), r.told.answers)

	checkBooks(t, db, r.sale.stock)
	r.checkYeses(db)
	r.checkGate(sold)
	if most, may := r.told.mostWithin(1000), r.sale.rate+r.sale.burst; most > may {
		t.Errorf("%d passes within a second, at most %d are right", most, may)
	}
	if sold < r.sale.stock/2 {
		t.Errorf("only %d of %d were sold: the sale stood still", sold, r.sale.stock)
	}
	if !r.forgetful() && len(r.told.torn) > 0 {
		t.Errorf("%d presses got two reservations each", len(r.told.torn))
	}
	r.reconcile()
}

// checkBooks holds the tables of a sale, in which nothing is on its way, to each
// other.
func checkBooks(t *testing.T, db *pgx.Conn, stock int) {
	t.Helper()
	const live = `status IN ('PENDING_PAYMENT', 'PAID')`
	for _, c := range []struct {
		what, query string
		want        int
	}{
		{"total", `SELECT total FROM sale_stock WHERE sale = $1`, stock},
		{"units of live orders that the stock row does not count",
			`SELECT COALESCE((SELECT SUM(qty) FROM sale_orders WHERE sale = $1 AND ` + live + `), 0) - sold FROM sale_stock WHERE sale = $1`, 0},
		{"units sold that the journal does not know",
			`SELECT sold - (SELECT COALESCE(SUM(units), 0) FROM journal WHERE sale = $1) FROM sale_stock WHERE sale = $1`, 0},
		{"units of stock that the journal does not know",
			`SELECT total - (SELECT COALESCE(SUM(stock), 0) FROM journal WHERE sale = $1) FROM sale_stock WHERE sale = $1`, 0},
		{"units sold beyond the stock", `SELECT GREATEST(sold - total, 0) FROM sale_stock WHERE sale = $1`, 0},
		{"accounts with two live orders",
			`SELECT COUNT(*) FROM (SELECT account FROM sale_orders WHERE sale = $1 AND ` + live + ` GROUP BY account HAVING COUNT(*) > 1) x`, 0},
		{"orders whose journal does not say how they stand", `SELECT COUNT(*) FROM sale_orders o WHERE sale = $1 AND
			(CASE WHEN ` + live + ` THEN qty ELSE 0 END) <> (SELECT COALESCE(SUM(units), 0) FROM journal j WHERE j.reservation_id = o.reservation_id)`, 0},
		{"orders that let go of a unit more often than they took one", `SELECT COUNT(*) FROM (SELECT reservation_id FROM journal
			WHERE sale = $1 AND reservation_id IS NOT NULL GROUP BY reservation_id
			HAVING COUNT(*) FILTER (WHERE units < 0) > COUNT(*) FILTER (WHERE units > 0)) x`, 0},
		{"ended orders whose unit was not given back, or live ones whose was",
			`SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND (` + live + `) = (released_at IS NOT NULL)`, 0},
		{"payments that decided nothing", `SELECT COUNT(*) FROM payments p WHERE $1 <> '' AND outcome = 'paid' AND NOT EXISTS
			(SELECT 1 FROM sale_orders o WHERE o.reservation_id = p.reservation_id AND o.payment_id = p.payment_id AND status = 'PAID')`, 0},
		{"reservations that are both order and refusal",
			`SELECT COUNT(*) FROM refusals JOIN sale_orders USING (reservation_id) WHERE refusals.sale = $1`, 0},
	} {
		if got := count(t, db, c.query, saleID); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

// checkYeses: every yes is an order, or was taken back and its shopper told. Only
// what Redis forgot is excused, and then nobody may be told that it is there.
func (r *round) checkYeses(db *pgx.Conn) {
	r.t.Helper()
	status := map[string]string{}
	for _, pair := range pairs(r.t, db, `SELECT reservation_id::text, status FROM sale_orders UNION SELECT reservation_id::text, 'refused' FROM refusals`) {
		status[pair[0]] = pair[1]
	}
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
			if says := r.says(s, reservation); !r.forgetful() || says != "" {
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

// checkGate: what is left and what is out are the stock, as in the books.
func (r *round) checkGate(sold int) {
	r.t.Helper()
	audit, err := r.gate.Audit(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	out := 0
	for _, receipt := range audit.Receipts {
		out += receipt.Qty
	}
	if audit.Left+out != r.sale.stock || audit.Total != r.sale.stock {
		r.t.Errorf("gate: %d left and %d out of %d, want %d in all", audit.Left, out, audit.Total, r.sale.stock)
	}
	if audit.Left+sold != r.sale.stock {
		r.t.Errorf("gate has %d left, books have %d sold, want %d together", audit.Left, sold, r.sale.stock)
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
		if got.code != 0 || !a.Agree || a.Mended > 0 && (again || !r.forgetful()) {
			r.t.Errorf("reconcile, again %v: exit code %d, %+v", again, got.code, a)
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(context.Background()) })
	return db
}

// count reads one whole number.
func count(t *testing.T, db *pgx.Conn, query string, args ...any) int {
	t.Helper()
	var n int
	if err := db.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	return n
}

// pairs reads rows of two texts.
func pairs(t *testing.T, db *pgx.Conn, query string) [][2]string {
	t.Helper()
	rows, err := db.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p [2]string, err error) {
		err = row.Scan(&p[0], &p[1])
		return p, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
