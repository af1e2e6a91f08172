package e2e_test

import (
	"encoding/json"
	"testing"

	"github.com/waitroom/waitroom/internal/balance"
	"github.com/waitroom/waitroom/internal/testserver"
)

// report is what `waitroom demo --json` prints.
type report struct {
	Shoppers        int  `json:"shoppers"`
	Stock           int  `json:"stock"`
	AdmittedMax1s   int  `json:"admitted_max_1s"`
	Reserved        int  `json:"reserved"`
	Orders          int  `json:"orders"`
	Oversold        int  `json:"oversold"`
	DuplicateBuyers int  `json:"duplicate_buyers"`
	ToldNo          int  `json:"told_no"`
	Unanswered      int  `json:"unanswered"`
	Errors          int  `json:"errors"`
	Reconciled      bool `json:"reconciled"`
}

func TestDemo(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		demo(t)
	})
	t.Run("Redis and Postgres", func(t *testing.T) {
		t.Parallel()
		url := testserver.Postgres(t)
		r := demo(t, "--redis", testserver.Redis(t), "--postgres", url)
		db := balance.Open(t, url)
		for _, c := range []struct {
			what, query string
			want        int
		}{
			{"orders paid or held", `SELECT COUNT(*) FROM sale_orders WHERE status IN ('PENDING_PAYMENT', 'PAID')`, r.Orders},
			{"units sold", `SELECT SUM(sold) FROM sale_stock`, r.Orders},
			{"units of all", `SELECT SUM(total) FROM sale_stock`, r.Stock},
			{"units in the journal", `SELECT SUM(units) FROM journal`, r.Orders},
		} {
			if got := balance.Count(t, db, c.query); got != c.want {
				t.Errorf("%s: %d, want %d", c.what, got, c.want)
			}
		}
	})
}

// demo runs the demo and checks its sums.
func demo(t *testing.T, stores ...string) report {
	t.Helper()
	const shoppers, stock, rate, burst = 400, 20, 200, 20 // the burst is a tenth of a second's
	got := run(t, "waitroom", append([]string{"demo", "--shoppers", "400", "--stock", "20", "--rate", "200/s", "--json"}, stores...)...)
	var r report
	if err := json.Unmarshal([]byte(got.out), &r); err != nil || got.code != 0 {
		t.Fatalf("demo ended with %d and printed %q: %v\n%s", got.code, got.out, err, tail(got.errors, 20))
	}
	want := report{
		Shoppers: shoppers, Stock: stock, Orders: stock, ToldNo: shoppers - stock, Reconciled: true,
		AdmittedMax1s: r.AdmittedMax1s, Reserved: r.Reserved, // checked below
	}
	if r != want {
		t.Errorf("report %+v,\nwant   %+v", r, want)
	}
	if r.AdmittedMax1s < 1 || r.AdmittedMax1s > rate+burst {
		t.Errorf("%d admitted within a second, want 1 to %d", r.AdmittedMax1s, rate+burst)
	}
	if r.Reserved < stock {
		t.Errorf("%d reservations for %d units", r.Reserved, stock)
	}
	if t.Failed() {
		t.Logf("%s", tail(got.errors, 20))
	}
	return r
}
