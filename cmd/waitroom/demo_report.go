package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

// report is what `demo --json` prints (the contract's fields). What the crowd
// saw comes from outside; orders, oversold and reconciled from the books.
type report struct {
	Shoppers           int64   `json:"shoppers"`
	Stock              int     `json:"stock"`
	Rate               string  `json:"rate"`
	Entered            int64   `json:"entered"`
	Admitted           int64   `json:"admitted"`
	AdmittedMax1s      int     `json:"admitted_max_1s"`
	Reserved           int64   `json:"reserved"`
	Orders             int     `json:"orders"`
	Oversold           int     `json:"oversold"`
	DuplicateBuyers    int64   `json:"duplicate_buyers"`
	ToldNo             int64   `json:"told_no"`
	Unanswered         int64   `json:"unanswered"`
	Errors             int64   `json:"errors"`
	NoP50ms            float64 `json:"no_p50_ms"`
	NoP99ms            float64 `json:"no_p99_ms"`
	ElapsedS           float64 `json:"elapsed_s"`
	StorefrontRequests int64   `json:"storefront_requests"`
	Reconciled         bool    `json:"reconciled"`
}

func (o *demoOptions) report(ctx context.Context, s *stage, seen crowd.Report, took time.Duration) (report, error) {
	r := report{
		Shoppers: seen.Shoppers, Stock: o.stock, Rate: o.rate,
		Entered: seen.Entered, Admitted: seen.Admitted, AdmittedMax1s: seen.AdmittedMax1s,
		Reserved: seen.Reserved, DuplicateBuyers: seen.DuplicateBuyers,
		ToldNo: seen.ToldNo, Unanswered: seen.Unanswered, Errors: seen.Errors,
		NoP50ms: milliseconds(seen.No.P50), NoP99ms: milliseconds(seen.No.P99),
		ElapsedS: took.Round(10 * time.Millisecond).Seconds(), StorefrontRequests: s.shop.Requests(),
	}
	account, err := s.worker.Ledger.Reconcile(ctx, s.sale, true)
	if err != nil {
		return r, err
	}
	counts, err := s.worker.Books().Counts(ctx, s.sale.Key)
	if err != nil {
		return r, err
	}
	r.Orders = counts.Orders
	r.Oversold = max(0, counts.Pending+counts.Paid-o.stock)
	r.Reconciled = account.Agree && counts.Balanced()
	return r, nil
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// print says the report in words.
func (r report) print(w io.Writer, seen crowd.Report) {
	say(w, "")
	say(w, "%d shoppers came for %d units at %s", r.Shoppers, r.Stock, r.Rate)
	for _, line := range []struct {
		name  string
		value any
	}{
		{"got a ticket", r.Entered},
		{"got a pass", r.Admitted},
		{"most passes in any second", r.AdmittedMax1s},
		{"reservations", r.Reserved},
		{"orders in the books", r.Orders},
		{"oversold", r.Oversold},
		{"bought twice", r.DuplicateBuyers},
		{"told no", r.ToldNo},
		{"never answered", r.Unanswered},
		{"errors", r.Errors},
		{"time of a no's request, median", seen.No.P50.Round(10 * time.Microsecond)},
		{"time of a no's request, 99 %", seen.No.P99.Round(10 * time.Microsecond)},
		{"requests the shop saw", r.StorefrontRequests},
		{"took", time.Duration(r.ElapsedS * float64(time.Second)).Round(100 * time.Millisecond)},
		{"books and gate agree", r.Reconciled},
	} {
		say(w, "  %-30s %v", line.name, line.value)
	}
	for kind, n := range seen.Problems {
		_, _ = fmt.Fprintf(w, "  problem: %d × %s\n", n, kind)
	}
}
