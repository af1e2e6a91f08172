package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
	"github.com/waitroom/waitroom/static"
)

const storeWait = 3 * time.Second // deadline of a request's calls to Redis

// reserved is the JSON of a yes.
type reserved struct {
	Status      string `json:"status"`
	Reservation string `json:"reservation"`
	PayBefore   int64  `json:"pay_before"`
	Checkout    string `json:"checkout"`
	AdmittedAt  int64  `json:"admitted_at,omitempty"` // when the pass was taken in this request
}

// buy is the sale's buy request. Sold out is said first and from memory; then
// the pass is found, or claimed on the way; then the gate decides.
func (h *house) buy(r *http.Request, d *door) answer {
	b := d.board.Load()
	if b == nil {
		return paused()
	}
	s := h.shopper(r, d, b.now())
	if s.pass == nil && d.soldOut(b) {
		return h.soldOut(d, b)
	}
	if no := h.limits.buy(s, h.trust.client(r), time.Now()); no != nil {
		return h.slowDown(*no)
	}
	ask, err := readAsk(r)
	if err != nil {
		return badRequest(err)
	}
	if ask.qty > d.sale.PerAccount {
		return problem(http.StatusUnprocessableEntity, "too_many", static.BadRequest)
	}
	switch b.state {
	case statePaused:
		return paused()
	case stateEnded:
		return h.line(r, d, b, s, http.StatusConflict)
	case stateScheduled, stateDoors:
		return h.enqueue(r, d, b, s)
	}

	ctx, cancel := context.WithTimeout(r.Context(), storeWait)
	defer cancel()
	var claimed *queueing.Pass
	if s.pass == nil {
		if claimed = h.claimOnTheWay(ctx, d, b, s); claimed == nil {
			return h.enqueue(r, d, b, s)
		}
		s.pass = claimed
	}
	return h.reserve(ctx, d, b, s, ask, claimed)
}

// claimOnTheWay takes the pass of a shopper whose turn has come; nil when there
// is none to take now.
func (h *house) claimOnTheWay(ctx context.Context, d *door, b *board, s shopper) *queueing.Pass {
	if s.ticket == nil {
		return nil
	}
	p, err := d.claim(ctx, b, *s.ticket)
	if err != nil {
		return nil
	}
	h.metrics.admitted(d.sale.ID)
	return &p
}

// reserve takes the units at the gate and says what came of it.
func (h *house) reserve(ctx context.Context, d *door, b *board, s shopper, ask ask, claimed *queueing.Pass) answer {
	key := ask.key
	if key == "" {
		// A form without a key is keyed by its pass, whatever its body.
		key, ask.digest = passKey(s.pass), ""
	}
	hold, err := d.reserve(ctx, gate.Request{
		Reservation: uuid.NewString(),
		Account:     s.account, Ticket: s.pass.Account(),
		Key: key, Digest: ask.digest,
		Qty: ask.qty, PerAccount: d.sale.PerAccount,
		Hold: d.sale.Hold, MaxBacklog: h.cfg.Worker.MaxBacklog,
	})
	a := h.outcome(d, b, s, hold, err)
	if claimed != nil && len(a.cookies) == 0 {
		a.cookies = append(a.cookies, h.passCookie(d, b, *claimed))
	}
	if yes, ok := a.body.(reserved); ok && claimed != nil {
		yes.AdmittedAt = claimed.Admitted.UnixMilli()
		a.body = yes
	}
	return a
}

func passKey(p *queueing.Pass) string {
	return "pass-" + p.Account() + "-" + p.Expires.UTC().Format(time.RFC3339)
}

// outcome is the table from the gate's word to the shopper's answer.
func (h *house) outcome(d *door, b *board, s shopper, hold gate.Hold, err error) answer {
	var already *gate.AlreadyBoughtError
	switch {
	case err == nil:
		h.metrics.reserved(d.sale.ID, hold.Again)
		return h.yes(d, b, s, hold)
	case errors.As(err, &already):
		v := d.view(b, me{})
		v.Reservation, v.Checkout = already.Reservation, d.sale.CheckoutFor(already.Reservation)
		return answer{status: http.StatusConflict, decision: "already_bought", page: static.AlreadyBought, view: v,
			body: reserved{Status: "already_bought", Reservation: already.Reservation, Checkout: v.Checkout}}
	case errors.Is(err, gate.ErrSoldOut):
		return h.soldOut(d, b)
	case errors.Is(err, gate.ErrKeyReused):
		return problem(http.StatusUnprocessableEntity, "key_reused", static.BadRequest)
	case errors.Is(err, gate.ErrClosed), errors.Is(err, gate.ErrBacklog):
		return paused()
	default:
		h.warn("reserve", d, err)
		return paused()
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
	v := d.view(b, me{})
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
	a := problem(http.StatusConflict, "sold_out", static.AllHeld)
	if b.state == stateSoldOut {
		a.page = static.SoldOut
	}
	a.view = d.view(b, me{})
	return a
}

// soldOut reports whether there is nothing to be had now.
func (d *door) soldOut(b *board) bool {
	return b.state == stateSoldOut || b.state == stateAllHeld || b.state == stateOpen && d.latch.SoldOut()
}

func paused() answer {
	a := problem(http.StatusServiceUnavailable, "paused", static.Paused)
	a.retry = pausePoll
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
	a.retry = v.Retry
	return a
}
