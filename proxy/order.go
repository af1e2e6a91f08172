package proxy

import (
	"context"
	"net/http"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

// order is the JSON of a reservation's fate (the contract's fields).
type order struct {
	Reservation string `json:"reservation"`
	Status      string `json:"status"`
	PayBefore   int64  `json:"pay_before,omitempty"`
	Checkout    string `json:"checkout"`
}

// order is GET …/order.
func (h *house) order(r *http.Request, d *door, b *board, s shopper) answer {
	if s.device() == "" {
		return problem(http.StatusNotFound, "none", static.NotFound)
	}
	ctx, cancel := context.WithTimeout(r.Context(), storeWait)
	defer cancel()
	n, ok, err := d.find(ctx, s)
	switch {
	case err != nil:
		h.warn("find order", d, err)
		return paused().about(d, b)
	case !ok:
		return problem(http.StatusNotFound, "none", static.NotFound)
	}
	o := order{Reservation: n.Reservation, Status: publicStatus(n.Status), Checkout: d.sale.CheckoutFor(n.Reservation)}
	if !n.PayBefore.IsZero() {
		o.PayBefore = n.PayBefore.UnixMilli()
	}
	return answer{status: http.StatusOK, decision: "order", body: o}
}

// publicStatus folds what shoppers need not tell apart.
func publicStatus(s gate.Status) string {
	if s == gate.Cancelled {
		return string(gate.Expired)
	}
	return string(s)
}

// note asks the gate what became of a shopper's reservation. Only those who
// hold a pass, or are known to have got something, can have one, so a crowd that
// waits asks nothing.
func (h *house) note(ctx context.Context, d *door, s shopper) *gate.Note {
	if s.pass == nil && !d.got.has(s) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	n, ok, err := d.find(ctx, s)
	if err != nil {
		h.warn("find order", d, err)
	}
	if err != nil || !ok {
		return nil
	}
	return &n
}

// find looks for the reservation that the pass names, else for the last one made
// with the ticket: the pass may be gone.
func (d *door) find(ctx context.Context, s shopper) (gate.Note, bool, error) {
	if s.pass != nil && s.pass.Reservation != "" {
		if n, ok, err := d.gate.Find(ctx, s.pass.Reservation); ok || err != nil {
			return n, ok, err
		}
	}
	return d.gate.FindByTicket(ctx, s.device())
}
