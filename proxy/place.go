package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// enter gives a shopper a ticket. It fails as queueing.Line.Enter does.
func (h *house) enter(ctx context.Context, d *door, b *board) (queueing.Ticket, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	number, err := d.line.Enter(ctx)
	if err != nil {
		return queueing.Ticket{}, err
	}
	h.metrics.entered(d.sale.ID)
	t := queueing.Ticket{Sale: d.sale.Key, Number: number, Issued: b.now()}
	_, _ = rand.Read(t.ID[:]) // never fails
	return t, nil
}

// claim takes the pass of a ticket whose turn has come. It fails as
// queueing.Line.Claim does.
func (d *door) claim(ctx context.Context, b *board, t queueing.Ticket) (queueing.Pass, error) {
	place, ok := b.line.Place(t.Number)
	if !ok {
		return queueing.Pass{}, queueing.ErrNotOpen
	}
	if place >= b.line.Head {
		return queueing.Pass{}, queueing.ErrNotCalled // known here: no call to Redis
	}
	c, err := d.line.Claim(ctx, place)
	if err != nil {
		return queueing.Pass{}, err
	}
	return queueing.Pass{Sale: d.sale.Key, Number: t.Number, ID: t.ID, Admitted: c.Admitted, Expires: c.Expires}, nil
}

func (h *house) ticketCookie(d *door, b *board, t queueing.Ticket) *http.Cookie {
	life := d.sale.Closes.Sub(b.now()) + ticketExtra
	return ownCookie(ticketPrefix+d.sale.ID, h.keyring.SignTicket(t), life)
}

func (h *house) passCookie(d *door, b *board, p queueing.Pass) *http.Cookie {
	return ownCookie(passPrefix+d.sale.ID, h.keyring.SignPass(p), p.Expires.Sub(b.now()))
}

// join is POST …/ticket.
func (h *house) join(r *http.Request, d *door, b *board, s shopper) answer {
	if s.ticket != nil {
		a := meAnswer(http.StatusOK, "ticket", b.stand(s, d.soldOut(b), nil))
		return h.backToLine(r, d, a)
	}
	a := h.ticket(r, d, b, s, http.StatusCreated)
	return h.backToLine(r, d, a)
}

// backToLine turns the answer to a posted form into a redirect to the line's
// page, so that a reload posts nothing.
func (h *house) backToLine(r *http.Request, d *door, a answer) answer {
	if isForm(r) && a.status < http.StatusBadRequest {
		a.status, a.location = http.StatusSeeOther, linePath(d.sale.ID)
	}
	return a
}

// ticket gives a new ticket and says where it stands.
func (h *house) ticket(r *http.Request, d *door, b *board, s shopper, status int) answer {
	switch b.state {
	case stateScheduled:
		a := meAnswer(http.StatusTooManyRequests, "not_open", b.stand(s, false, nil))
		a.page, a.view = static.Doors, d.view(b, me{})
		return a
	case stateEnded, stateSoldOut:
		a := meAnswer(http.StatusConflict, b.state, b.stand(s, true, nil))
		a.page, a.view = endPage(b), d.view(b, me{})
		return a
	}
	if no := h.limits.join(h.trust.client(r), time.Now()); no != nil {
		return h.slowDown(*no)
	}
	t, err := h.enter(r.Context(), d, b)
	switch {
	case errors.Is(err, queueing.ErrNotOpen), errors.Is(err, queueing.ErrEnded):
		return meAnswer(http.StatusTooManyRequests, "not_open", b.stand(s, false, nil))
	case err != nil:
		h.warn("enter", d, err)
		return paused()
	}
	s.ticket = &t
	a := meAnswer(status, "entered", b.stand(s, d.soldOut(b), nil))
	a.cookies = []*http.Cookie{h.ticketCookie(d, b, t)}
	return a
}

// enqueue is the answer to a buy whose turn it is not: into the line, if not
// there already. A form is sent on to the line's page; anything else gets 429.
func (h *house) enqueue(r *http.Request, d *door, b *board, s shopper) answer {
	var a answer
	if s.ticket == nil && s.pass == nil {
		a = h.ticket(r, d, b, s, http.StatusTooManyRequests)
	} else {
		a = meAnswer(http.StatusTooManyRequests, "wait", b.stand(s, d.soldOut(b), nil))
	}
	if isForm(r) && a.status == http.StatusTooManyRequests && a.decision != "slow_down" {
		a.status, a.location = http.StatusSeeOther, linePath(d.sale.ID)
	}
	return a
}

func meAnswer(status int, decision string, m me) answer {
	a := answer{status: status, decision: decision, body: m}
	if status == http.StatusTooManyRequests {
		a.retry = m.poll
	}
	return a
}

// me is GET …/me.
func (h *house) me(r *http.Request, d *door, b *board, s shopper) answer {
	return meAnswer(http.StatusOK, "me", b.stand(s, d.soldOut(b), h.note(r.Context(), d, s)))
}

// note asks the gate what became of a shopper's reservation. Only those who
// hold a pass can have one, so a crowd that waits asks nothing.
func (h *house) note(ctx context.Context, d *door, s shopper) *gate.Note {
	if s.pass == nil {
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

func (d *door) find(ctx context.Context, s shopper) (gate.Note, bool, error) {
	if s.pass.Reservation != "" {
		if n, ok, err := d.gate.Find(ctx, s.pass.Reservation); ok || err != nil {
			return n, ok, err
		}
	}
	return d.gate.FindByTicket(ctx, s.pass.Account())
}

// passGiven is the JSON of a pass that was taken.
type passGiven struct {
	me
	AdmittedAt int64 `json:"admitted_at"`
	Again      bool  `json:"again,omitempty"` // the same pass as before
}

// givePass is POST …/pass.
func (h *house) givePass(r *http.Request, d *door, b *board, s shopper) answer {
	if s.pass != nil {
		return h.backToLine(r, d, answer{status: http.StatusOK, decision: "pass_again", body: passGiven{
			me: b.stand(s, d.soldOut(b), nil), AdmittedAt: s.pass.Admitted.UnixMilli(), Again: true}})
	}
	if no := h.limits.buy(s, h.trust.client(r), time.Now()); no != nil {
		return h.slowDown(*no)
	}
	refuse := func() answer { return meAnswer(http.StatusTooManyRequests, "wait", b.stand(s, d.soldOut(b), nil)) }
	if s.ticket == nil || b.state != stateOpen || d.soldOut(b) {
		return refuse()
	}
	ctx, cancel := context.WithTimeout(r.Context(), storeWait)
	defer cancel()
	p, err := d.claim(ctx, b, *s.ticket)
	var wait *queueing.WaitError
	switch {
	case errors.As(err, &wait):
		a := refuse()
		a.retry = max(a.retry, wait.Retry)
		return a
	case errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrNotOpen):
		return refuse()
	case err != nil:
		if !errors.Is(err, queueing.ErrPaused) && !errors.Is(err, queueing.ErrEnded) {
			h.warn("claim", d, err)
		}
		return paused()
	}
	h.metrics.admitted(d.sale.ID)
	s.pass = &p
	a := answer{status: http.StatusOK, decision: "admitted", cookies: []*http.Cookie{h.passCookie(d, b, p)},
		body: passGiven{me: b.stand(s, d.soldOut(b), nil), AdmittedAt: p.Admitted.UnixMilli()}}
	return h.backToLine(r, d, a)
}

// order is the JSON of a reservation's fate (the contract's fields).
type order struct {
	Reservation string `json:"reservation"`
	Status      string `json:"status"`
	PayBefore   int64  `json:"pay_before,omitempty"`
	Checkout    string `json:"checkout"`
}

// order is GET …/order.
func (h *house) order(r *http.Request, d *door, s shopper) answer {
	if s.pass == nil && s.ticket != nil {
		// The pass may be gone; its ticket still names the last reservation.
		s.pass = &queueing.Pass{Sale: s.ticket.Sale, Number: s.ticket.Number, ID: s.ticket.ID}
	}
	if s.pass == nil {
		return problem(http.StatusNotFound, "none", static.NotFound)
	}
	ctx, cancel := context.WithTimeout(r.Context(), storeWait)
	defer cancel()
	n, ok, err := d.find(ctx, s)
	switch {
	case err != nil:
		h.warn("find order", d, err)
		return paused()
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
