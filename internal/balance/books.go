package balance

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const live = `status IN ('PENDING_PAYMENT', 'PAID')`

// sums must be true of the books of a sale, $1, in which nothing is on its way.
var sums = []struct {
	what, query string // of what there must be none
}{
	{"units of live orders that the stock row does not count",
		`SELECT COALESCE((SELECT SUM(qty) FROM sale_orders WHERE sale = $1 AND ` + live + `), 0) - sold FROM sale_stock WHERE sale = $1`},
	{"units sold that the journal does not know",
		`SELECT sold - (SELECT COALESCE(SUM(units), 0) FROM journal WHERE sale = $1) FROM sale_stock WHERE sale = $1`},
	{"units of stock that the journal does not know",
		`SELECT total - (SELECT COALESCE(SUM(stock), 0) FROM journal WHERE sale = $1) FROM sale_stock WHERE sale = $1`},
	{"units sold beyond the stock", `SELECT GREATEST(sold - total, 0) FROM sale_stock WHERE sale = $1`},
	{"accounts with two live orders",
		`SELECT COUNT(*) FROM (SELECT account FROM sale_orders WHERE sale = $1 AND ` + live + ` GROUP BY account HAVING COUNT(*) > 1) x`},
	{"orders whose journal does not say how they stand", `SELECT COUNT(*) FROM sale_orders o WHERE sale = $1 AND
		(CASE WHEN ` + live + ` THEN qty ELSE 0 END) <> (SELECT COALESCE(SUM(units), 0) FROM journal j WHERE j.reservation_id = o.reservation_id)`},
	{"orders that let go of a unit more often than they took one", `SELECT COUNT(*) FROM (SELECT reservation_id FROM journal
		WHERE sale = $1 AND reservation_id IS NOT NULL GROUP BY reservation_id
		HAVING COUNT(*) FILTER (WHERE units < 0) > COUNT(*) FILTER (WHERE units > 0)) x`},
	{"ended orders whose unit was not given back, or live ones whose was",
		`SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND (` + live + `) = (released_at IS NOT NULL)`},
	{"payments that decided nothing", `SELECT COUNT(*) FROM payments p WHERE $1 <> '' AND outcome = 'paid' AND NOT EXISTS
		(SELECT 1 FROM sale_orders o WHERE o.reservation_id = p.reservation_id AND o.payment_id = p.payment_id AND status = 'PAID')`},
	{"money due back that no refund has", `SELECT COUNT(*) FROM payments p WHERE $1 <> '' AND outcome = 'refund_due' AND NOT EXISTS
		(SELECT 1 FROM refunds r WHERE r.payment_id = p.payment_id)`},
	{"reservations that are both order and refusal",
		`SELECT COUNT(*) FROM refusals JOIN sale_orders USING (reservation_id) WHERE refusals.sale = $1`},
}

// Books holds the tables of a sale to each other, and to the stock that it began
// with.
func Books(t testing.TB, db *sql.DB, sale string, stock int) {
	t.Helper()
	if total := Count(t, db, `SELECT total FROM sale_stock WHERE sale = $1`, sale); total != stock {
		t.Errorf("total in the books: %d, want %d", total, stock)
	}
	for _, s := range sums {
		if n := Count(t, db, s.query, sale); n != 0 {
			t.Errorf("%s: %d, want none", s.what, n)
		}
	}
}

// Open opens the books at an address, to be read by SQL until the test ends.
func Open(t testing.TB, address string) *sql.DB {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() }) // the server may be gone
	return db
}

// Statuses are what the books say of each reservation of a sale: that of its order,
// or "refused".
func Statuses(t testing.TB, db *sql.DB, sale string) map[string]string {
	t.Helper()
	return Pairs(t, db, `SELECT reservation_id::text, status FROM sale_orders WHERE sale = $1
		UNION SELECT reservation_id::text, 'refused' FROM refusals WHERE sale = $1`, sale)
}

// Count reads one whole number.
func Count(t testing.TB, db *sql.DB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	return n
}

// Pairs reads rows of two texts, the first of which is their name.
func Pairs(t testing.TB, db *sql.DB, query string, args ...any) map[string]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	defer func() { _ = rows.Close() }()
	found := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", query, err))
		}
		found[name] = value
	}
	if err := rows.Err(); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	return found
}
