package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

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
	switch {
	case b.state == stateScheduled:
		a := meAnswer(http.StatusTooManyRequests, "not_open", b.stand(s, false, nil))
		a.page, a.view = static.Doors, d.view(b, me{})
		return a
	case b.state == stateEnded, b.state == stateSoldOut:
		a := meAnswer(http.StatusConflict, b.state, b.stand(s, true, nil))
		a.page, a.view = endPage(b), d.view(b, me{})
		return a
	case speculative(r): // nobody asked to be in line
		return meAnswer(http.StatusTooManyRequests, "speculative", b.stand(s, false, nil))
	}
	if no := h.limits.join(h.trust.client(r), time.Now()); no != nil {
		return h.slowDown(*no).about(d, b)
	}
	t, err := h.enter(r.Context(), d, b)
	switch {
	case errors.Is(err, queueing.ErrNotOpen), errors.Is(err, queueing.ErrEnded):
		return meAnswer(http.StatusTooManyRequests, "not_open", b.stand(s, false, nil))
	case err != nil:
		h.warn("enter", d, err)
		return paused().about(d, b)
	}
	s.ticket = &t
	a := meAnswer(status, "entered", b.stand(s, d.soldOut(b), nil))
	a.cookies = []*http.Cookie{h.ticketCookie(d, b, t)}
	return a
}

// enqueue is the answer to a buy whose turn it is not: into the line, if not
// there already. A form is sent on to the line's page; anything else gets 429
// and is asked to wait for retry at least.
func (h *house) enqueue(r *http.Request, d *door, b *board, s shopper, retry time.Duration) answer {
	var a answer
	if s.ticket == nil && s.pass == nil {
		a = h.ticket(r, d, b, s, http.StatusTooManyRequests)
	} else {
		a = d.wait(b, s, retry)
	}
	if isForm(r) && a.status == http.StatusTooManyRequests && a.decision != "slow_down" {
		a.status, a.location = http.StatusSeeOther, linePath(d.sale.ID)
	}
	return a
}

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

func (h *house) ticketCookie(d *door, b *board, t queueing.Ticket) *http.Cookie {
	life := d.sale.Closes.Sub(b.now()) + ticketExtra
	return ownCookie(ticketPrefix+d.sale.ID, h.keyring.SignTicket(t), life)
}
