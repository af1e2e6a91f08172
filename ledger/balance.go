package ledger

import (
	"fmt"
	"strings"
)

// Balance is the balance of a sale over books and gate. Numbers are units, but
// for in_stream, receipts and the differences, which are counted one by one.
type Balance struct {
	Sale                 string `json:"sale"`
	Total                int    `json:"total"`
	Sold                 int    `json:"sold"` // the stock row
	Held                 int    `json:"held"` // of unpaid orders
	Paid                 int    `json:"paid"`
	Left                 int    `json:"left"`       // the gate can still give
	InTransit            int    `json:"in_transit"` // between buckets
	InStream             int    `json:"in_stream"`  // winners on their way
	Receipts             int    `json:"receipts"`
	ReceiptsWithoutOrder int    `json:"receipts_without_order"`
	OrdersWithoutReceipt int    `json:"orders_without_receipt"`
	Mended               int    `json:"mended"`
	Agree                bool   `json:"agree"`
	Why                  string `json:"why,omitempty"` // they do not agree

	Overruled []string `json:"overruled,omitempty"` // what the sale's file says and is not in force
}

// Table is the account for people to read.
func (a Balance) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.Sale)
	for _, line := range []struct {
		name  string
		value int
	}{
		{"total", a.Total}, {"sold", a.Sold}, {"held", a.Held}, {"paid", a.Paid}, {"left", a.Left},
		{"in transit", a.InTransit}, {"in stream", a.InStream}, {"receipts", a.Receipts},
		{"receipts without order", a.ReceiptsWithoutOrder},
		{"orders without receipt", a.OrdersWithoutReceipt}, {"mended", a.Mended},
	} {
		fmt.Fprintf(&b, "  %-24s %10d\n", line.name, line.value)
	}
	verdict := "books and gate agree"
	if !a.Agree {
		verdict = "books and gate DIFFER: " + a.Why
	}
	fmt.Fprintf(&b, "  %s\n", verdict)
	for _, line := range a.Overruled {
		fmt.Fprintf(&b, "  the file is overruled: %s\n", strings.ReplaceAll(line, "\n", "\n  "))
	}
	return b.String()
}
