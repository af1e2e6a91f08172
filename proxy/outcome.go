package proxy

import (
	"context"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/shedding"
	"github.com/waitroom/waitroom/static"
)

// reserved is the JSON of a yes.
type reserved struct {
	Status      string `json:"status"`
	Reservation string `json:"reservation"`
	PayBefore   int64  `json:"pay_before"`
	Checkout    string `json:"checkout"`
	AdmittedAt  int64  `json:"admitted_at,omitempty"` // when the pass was taken in this request
}

// outcome is the table from the gate's word to the shopper's answer.
func (h *house) outcome(d *door, b *board, s shopper, hold gate.Hold, err error) answer {
	var already *gate.AlreadyBoughtError
	switch {
	case err == nil:
		h.metrics.reserved(d.sale.ID, hold.Again)
		d.got.add(s.pass.Account())
		return h.yes(d, b, s, hold)
	case errors.As(err, &already):
		v := d.view(b, me{poll: spread(orderPoll)})
		v.Reservation, v.Checkout = already.Reservation, d.sale.CheckoutFor(already.Reservation)
		return answer{status: http.StatusConflict, decision: "already_bought", page: static.AlreadyBought, view: v,
			body: reserved{Status: "already_bought", Reservation: already.Reservation, Checkout: v.Checkout}}
	case errors.Is(err, gate.ErrSoldOut):
		return h.soldOut(d, b)
	case errors.Is(err, gate.ErrKeyReused):
		return problem(http.StatusUnprocessableEntity, "key_reused", static.BadRequest).about(d, b)
	case errors.Is(err, gate.ErrClosed), errors.Is(err, gate.ErrBacklog):
		return paused().about(d, b)
	default:
		h.warn("reserve", d, err)
		return paused().about(d, b)
	}
}

// warn logs a call to the stores that failed, unless it was the shopper who
// left.
func (h *house) warn(call string, d *door, err error) {
	if !errors.Is(err, context.Canceled) {
		h.log.Warn(call+" failed", zap.String("sale", d.sale.ID), zap.Error(err))
	}
}

// yes is "you got one". The pass is signed again with the reservation in it, and
// for as long as the order may still be paid, so that the origin can be told.
func (h *house) yes(d *door, b *board, s shopper, hold gate.Hold) answer {
	p := *s.pass
	p.Reservation = hold.Reservation
	if until := hold.PayBefore.Add(d.sale.Hold); until.After(p.Expires) {
		p.Expires = until
	}
	v := d.view(b, me{poll: spread(orderPoll)})
	v.Reservation, v.Checkout = hold.Reservation, d.sale.CheckoutFor(hold.Reservation)
	v.PayIn = hold.PayBefore.Sub(b.now())
	return answer{
		status: http.StatusCreated, decision: "reserved", page: static.Held, view: v,
		cookies: []*http.Cookie{h.passCookie(d, b, p)},
		body: reserved{Status: "reserved", Reservation: hold.Reservation,
			PayBefore: hold.PayBefore.UnixMilli(), Checkout: v.Checkout},
	}
}

// soldOut is the no that costs nothing: from memory, for everybody alike.
func (h *house) soldOut(d *door, b *board) answer {
	if b.state == stateSoldOut {
		return problem(http.StatusConflict, "sold_out", static.SoldOut).about(d, b)
	}
	a := problem(http.StatusConflict, "sold_out", static.AllHeld).about(d, b)
	a.view.Refresh = spread(pausePoll) // one may come back
	return a
}

// soldOut reports whether there is nothing to be had now.
func (d *door) soldOut(b *board) bool {
	return b.state == stateSoldOut || b.state == stateAllHeld || b.state == stateOpen && d.latch.SoldOut()
}

func paused() answer {
	a := problem(http.StatusServiceUnavailable, "paused", static.Paused)
	a.retry = spread(pausePoll) // or everybody would be back at once
	return a
}

func badRequest(err error) answer {
	if errors.Is(err, errTooLarge) {
		return problem(http.StatusRequestEntityTooLarge, "too_large", static.BadRequest)
	}
	a := problem(http.StatusBadRequest, "bad_request", static.BadRequest)
	a.body = struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}{"bad_request", err.Error()}
	return a
}

func (h *house) slowDown(v shedding.Verdict) answer {
	a := problem(http.StatusTooManyRequests, "slow_down", static.SlowDown)
	a.retry = spread(v.Retry)
	return a
}
