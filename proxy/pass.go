package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

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
		return h.slowDown(*no).about(d, b)
	}
	if s.ticket == nil || b.state != stateOpen || d.soldOut(b) {
		return d.wait(b, s, 0)
	}
	ctx, cancel := context.WithTimeout(r.Context(), storeWait)
	defer cancel()
	p, err := h.claim(ctx, d, b, *s.ticket)
	var wait *queueing.WaitError
	switch {
	case errors.As(err, &wait):
		return d.wait(b, s, wait.Retry)
	case errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrNotOpen):
		return d.wait(b, s, 0)
	case err != nil:
		return paused().about(d, b)
	}
	s.pass = &p
	a := answer{status: http.StatusOK, decision: "admitted", cookies: []*http.Cookie{h.passCookie(d, b, p)},
		body: passGiven{me: b.stand(s, d.soldOut(b), nil), AdmittedAt: p.Admitted.UnixMilli()}}
	return h.backToLine(r, d, a)
}

func (h *house) passCookie(d *door, b *board, p queueing.Pass) *http.Cookie {
	return ownCookie(passPrefix+d.sale.ID, h.keyring.SignPass(p), p.Expires.Sub(b.now()))
}

// claim takes the pass of a ticket whose turn has come. It fails as
// queueing.Line.Claim does, and logs when the line could not be asked.
func (h *house) claim(ctx context.Context, d *door, b *board, t queueing.Ticket) (queueing.Pass, error) {
	p, err := d.claim(ctx, b, t)
	var wait *queueing.WaitError
	switch {
	case err == nil:
		h.metrics.admitted(d.sale.ID)
	case errors.As(err, &wait), errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrNotOpen),
		errors.Is(err, queueing.ErrPaused), errors.Is(err, queueing.ErrEnded):
	default:
		h.warn("claim", d, err)
	}
	return p, err
}

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

// wait is the answer to whom no pass is given now. They are not to come back
// before retry.
func (d *door) wait(b *board, s shopper, retry time.Duration) answer {
	m := b.stand(s, d.soldOut(b), nil)
	if retry > m.poll {
		m.askAgain(spread(retry))
	}
	return meAnswer(http.StatusTooManyRequests, "wait", m)
}
