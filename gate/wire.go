package gate

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
