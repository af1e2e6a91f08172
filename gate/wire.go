package gate

import "encoding/json"

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

// wireLive are live orders as JSON.
func wireLive(live []Live) string {
	out := make([]wireOrder, 0, len(live))
	for _, l := range live {
		out = append(out, wireOrder{
			Hold: l.Hold, Reservation: l.Note.Reservation, Account: l.Account, Ticket: l.Ticket,
			Qty: l.Qty, Taken: millis(l.Taken), PayBefore: millis(l.Note.PayBefore),
			Status: l.Note.Status, Version: l.Note.Version,
		})
	}
	return wire(out)
}

// wireTies are bindings as JSON.
func wireTies(ties []tie) string {
	out := make(map[string]string, len(ties))
	for _, t := range ties {
		out[t.ticket] = t.account
	}
	return wire(out)
}

// wireHolds are holds as JSON.
func wireHolds(holds []string) string { return wire(append([]string{}, holds...)) }

func wire(v any) string {
	text, _ := json.Marshal(v) // texts and numbers always marshal
	return string(text)
}
