package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

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
