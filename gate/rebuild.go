package gate

import (
	"context"
	"encoding/json"
	"fmt"
)

// Close stops sales and names why. A gate that is missing becomes one that is
// closed. Shut with a reason of their own, two rebuilders notice each other.
func (g *Gate) Close(ctx context.Context, why string) error {
	r, err := g.callAgain(ctx, 0, scriptClose, why)
	if err == nil {
		err = r.ok()
	}
	if err != nil {
		return fmt.Errorf("close gate: %w", err)
	}
	return nil
}

// Contents are what a gate is rebuilt from: the ledger's picture of the sale.
type Contents struct {
	Epoch uint64 // above every epoch that the ledger and the gate know
	Total int
	Live  []Live
}

// Live is an order that holds or has bought units.
type Live struct {
	Receipt
	Note Note
}

// Rebuild replaces stock and receipts by what the ledger says and opens the
// gate. The gate must have been closed with the same why since before the
// contents were read, and no winner may be on its way; else nothing changes and
// it reports false: begin again.
func (g *Gate) Rebuild(ctx context.Context, why string, c Contents) (rebuilt bool, err error) {
	live, err := json.Marshal(wireLive(c.Live))
	if err != nil {
		return false, fmt.Errorf("rebuild gate: %w", err)
	}
	r, err := g.callAgain(ctx, 0, scriptRebuild, why, c.Epoch, c.Total, live)
	if err == nil {
		err = r.ok(&rebuilt)
	}
	if err != nil {
		return false, fmt.Errorf("rebuild gate: %w", err)
	}
	return rebuilt, nil
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
