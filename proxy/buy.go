package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

const storeWait = 3 * time.Second // deadline of a request's calls to Redis

// buy is the sale's buy request. What can be refused from memory is, before the
// body is read; then the pass is found, or claimed on the way; then the gate
// decides.
func (h *house) buy(r *http.Request, d *door) answer {
	b := d.board.Load()
	if b == nil {
		return paused().about(d, b)
	}
	s := h.shopper(r, d, b.now())
	if s.pass == nil && d.soldOut(b) && !d.got.has(s) {
		return h.soldOut(d, b)
	}
	if no := h.limits.buy(s, h.trust.client(r), time.Now()); no != nil {
		return h.slowDown(*no).about(d, b)
	}
	switch {
	case b.state == statePaused:
		return paused().about(d, b)
	case b.state == stateEnded:
		return problem(http.StatusConflict, "ended", static.Ended).about(d, b)
	case r.Header.Get("Expect") != "" && !b.turn(s):
		return h.enqueue(r, d, b, s, 0) // without asking for the body first
	}
	ask, err := readAsk(r)
	switch {
	case err != nil:
		return badRequest(err).about(d, b)
	case ask.qty > d.sale.PerAccount:
		return problem(http.StatusUnprocessableEntity, "too_many", static.BadRequest).about(d, b)
	case !b.turn(s):
		return h.enqueue(r, d, b, s, 0)
	}
	return h.admit(r, d, b, s, ask)
}

// turn reports whether a shopper may try to buy now, as far as the board knows.
func (b *board) turn(s shopper) bool {
	switch {
	case b.state == stateScheduled, b.state == stateDoors:
		return false
	case s.pass != nil:
		return true
	default:
		return s.ticket != nil && b.line.Standing(s.ticket.Number).State == queueing.StandingCalled
	}
}

// admit brings a shopper whose turn it is to the gate. A pass that was not
// fetched before is claimed on the way.
func (h *house) admit(r *http.Request, d *door, b *board, s shopper, ask ask) answer {
	ctx, cancel := context.WithTimeout(r.Context(), storeWait)
	defer cancel()
	if s.pass != nil {
		return h.reserve(ctx, d, b, s, ask)
	}
	p, err := h.claim(ctx, d, b, *s.ticket)
	var wait *queueing.WaitError
	switch {
	case errors.As(err, &wait):
		return h.enqueue(r, d, b, s, wait.Retry)
	case errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrNotOpen):
		return h.enqueue(r, d, b, s, 0)
	case err != nil:
		return paused().about(d, b)
	}
	s.pass = &p
	a := h.reserve(ctx, d, b, s, ask)
	if len(a.cookies) == 0 {
		a.cookies = append(a.cookies, h.passCookie(d, b, p))
	}
	if yes, ok := a.body.(reserved); ok {
		yes.AdmittedAt = p.Admitted.UnixMilli()
		a.body = yes
	}
	return a
}

// reserve takes the units at the gate and says what came of it.
func (h *house) reserve(ctx context.Context, d *door, b *board, s shopper, ask ask) answer {
	key := ask.key
	if key == "" {
		// Without a key it is keyed by its pass, whatever its body. The pass is
		// known by its generation, since its expiry moves when it is signed anew.
		key, ask.digest = fmt.Sprintf("pass-%s-%d", s.pass.Account(), s.pass.Generation()), ""
	}
	hold, err := d.reserve(ctx, gate.Request{
		Reservation: uuid.NewString(),
		Account:     s.account, Ticket: s.pass.Account(),
		Key: key, Digest: ask.digest,
		Qty: ask.qty, PerAccount: d.sale.PerAccount,
		Hold: d.sale.Hold, MaxBacklog: h.cfg.Worker.MaxBacklog,
	})
	return h.outcome(d, b, s, hold, err)
}
