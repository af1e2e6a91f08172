package gate

import (
	"encoding/json"
	"fmt"
	"time"
)

// wireReceipt is a receipt as the scripts write it.
type wireReceipt struct {
	Account string `json:"account"`
	Ticket  string `json:"ticket"`
	Qty     int    `json:"qty"`
	Entry   string `json:"entry"`
	Taken   int64  `json:"taken"`
}

func parseReceipt(hold, value string) (Receipt, error) {
	var w wireReceipt
	if err := json.Unmarshal([]byte(value), &w); err != nil {
		return Receipt{}, fmt.Errorf("receipt %s: %w", hold, err)
	}
	return Receipt{
		Hold: hold, Account: w.Account, Ticket: w.Ticket, Qty: w.Qty,
		Entry: w.Entry, Taken: time.UnixMilli(w.Taken),
	}, nil
}

// wireOrder is a live order as the scripts read it.
type wireOrder struct {
	Hold        string `json:"hold"`
	Reservation string `json:"reservation"`
	Account     string `json:"account"`
	Ticket      string `json:"ticket"`
	Qty         int    `json:"qty"`
	Taken       int64  `json:"taken"`
	PayBefore   int64  `json:"pay_before"`
	Status      Status `json:"status"`
	Version     int    `json:"version"`
}

func wireLive(live []Live) []wireOrder {
	out := make([]wireOrder, 0, len(live))
	for _, l := range live {
		out = append(out, wireOrder{
			Hold: l.Hold, Reservation: l.Note.Reservation, Account: l.Account, Ticket: l.Ticket,
			Qty: l.Qty, Taken: millis(l.Taken), PayBefore: millis(l.Note.PayBefore),
			Status: l.Note.Status, Version: l.Note.Version,
		})
	}
	return out
}
