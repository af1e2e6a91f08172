package gate

import (
	"encoding/json"
	"fmt"
	"time"
)

// Receipt proves that units are out: the gate keeps one for each hold.
type Receipt struct {
	Hold    string // see HoldID
	Account string
	Ticket  string
	Qty     int
	Entry   string        // the winner's stream entry; empty for a hold taken again
	Taken   time.Time     // Redis time
	Age     time.Duration // since then, by the same clock, when it was read; only of an Audit
}

// HoldID names the nth hold of a reservation, n from 1. The first is named like
// the reservation; a hold taken again after an expiry has a name of its own, so
// that a late give-back of the first can never touch it.
func HoldID(reservation string, n int) string {
	if n <= 1 {
		return reservation
	}
	return fmt.Sprintf("%s/%d", reservation, n)
}

// wireReceipt is a receipt as the scripts write it.
type wireReceipt struct {
	Account string `json:"account"`
	Ticket  string `json:"ticket"`
	Qty     int    `json:"qty"`
	Entry   string `json:"entry"`
	Taken   int64  `json:"taken"`
	Key     string `json:"key"`
}

func parseReceipt(hold, value string) (Receipt, error) {
	var w wireReceipt
	if err := json.Unmarshal([]byte(value), &w); err != nil {
		return Receipt{}, fmt.Errorf("receipt %s: %w", hold, err)
	}
	return Receipt{
		Hold: hold, Account: w.Account, Ticket: w.Ticket, Qty: w.Qty,
		Entry: w.Entry, Taken: instant(w.Taken),
	}, nil
}
