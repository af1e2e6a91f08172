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
func (v *visit) order() answer {
	if v.shopper.device() == "" {
		return problem(http.StatusNotFound, "none", static.NotFound)
	}
	n, ok, err := v.find()
	switch {
	case err != nil:
		v.house.warn("find order", v.door, err)
		return v.paused()
	case !ok:
		return problem(http.StatusNotFound, "none", static.NotFound)
	}
	o := order{Reservation: n.Reservation, Status: publicStatus(n.Status), Checkout: v.checkout(n.Reservation)}
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

// mayHave reports whether the shopper may have a reservation: only those who hold a pass,
// or are known to have got something, can have one, so a crowd that waits asks nothing.
func (v *visit) mayHave() bool { return v.shopper.pass != nil || v.door.got.has(&v.shopper) }

// note asks the gate what became of the shopper's reservation.
func (v *visit) note() *gate.Note {
	if !v.mayHave() {
		return nil
	}
	n, ok, err := v.find()
	if err != nil {
		v.house.warn("find order", v.door, err)
	}
	if err != nil || !ok {
		return nil
	}
	return &n
}

// find looks for what the shopper got: under the account, else, since who signs
// in has another one than before, under any.
func (v *visit) find() (gate.Note, bool, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), storeWait)
	defer cancel()
	n, ok, err := v.findOf(ctx, v.shopper.account)
	if ok || err != nil || v.door.gate.Buckets() == 1 || v.shopper.account == v.shopper.device() {
		return n, ok, err
	}
	return v.findOf(ctx, "")
}

// findOf looks for the reservation that the pass names, else for the last one
// made with the ticket: the pass may be gone.
func (v *visit) findOf(ctx context.Context, account string) (gate.Note, bool, error) {
	if pass := v.shopper.pass; pass != nil && pass.Reservation != "" {
		if n, ok, err := v.door.gate.Find(ctx, account, pass.Reservation); ok || err != nil {
			return n, ok, err
		}
	}
	return v.door.gate.FindByTicket(ctx, account, v.shopper.device())
}
