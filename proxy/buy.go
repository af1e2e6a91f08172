package proxy

import (
	"context"
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
func (v *visit) buy() answer {
	if v.board == nil {
		return v.paused()
	}
	if v.shopper.pass == nil && v.nothingLeft() && !v.door.got.has(v.shopper) {
		return v.soldOut()
	}
	if over := v.house.limits.buy(v.shopper, v.address(), time.Now()); over != nil {
		return v.about(slowDown(*over))
	}
	switch {
	case v.board.state == statePaused:
		return v.paused()
	case v.board.state == stateEnded:
		return v.problem(http.StatusConflict, "ended", static.Ended)
	case v.r.Header.Get("Expect") != "" && !v.called():
		return v.enqueue(0) // without asking for the body first
	}
	ask, err := readAsk(v.r)
	switch {
	case err != nil:
		return v.about(badRequest(err))
	case ask.qty > v.door.sale.PerAccount:
		return v.problem(http.StatusUnprocessableEntity, "too_many", static.BadRequest)
	case !v.called():
		return v.enqueue(0)
	}
	return v.admit(ask)
}

// called reports whether the shopper may try to buy now, as far as the board
// knows.
func (v *visit) called() bool {
	s := v.shopper
	switch {
	case v.board.state == stateScheduled, v.board.state == stateDoors:
		return false
	case s.pass != nil:
		return true
	case s.invited():
		return v.board.line.Invited().State == queueing.StandingCalled
	default:
		return s.ticket != nil && v.board.line.Standing(s.ticket.Number).State == queueing.StandingCalled
	}
}

// admit brings a shopper whose turn it is to the gate. A pass that was not
// fetched before is claimed on the way.
func (v *visit) admit(ask ask) answer {
	ctx, cancel := context.WithTimeout(v.r.Context(), storeWait)
	defer cancel()
	if v.shopper.pass != nil {
		return v.reserve(ctx, ask)
	}
	p, err := v.claim(ctx)
	if err != nil {
		return v.notAdmitted(err)
	}
	v.shopper.pass = &p
	a := v.reserve(ctx, ask)
	if len(a.cookies) == 0 {
		a.cookies = append(a.cookies, v.passCookie(p))
	}
	if yes, ok := a.body.(reserved); ok {
		yes.AdmittedAt = p.Admitted.UnixMilli()
		a.body = yes
	}
	return a
}

// reserve takes the units at the gate and says what came of it.
func (v *visit) reserve(ctx context.Context, ask ask) answer {
	pass, sale := v.shopper.pass, v.door.sale
	key := ask.key
	if key == "" {
		// Without a key it is keyed by its pass, whatever its body. The pass is
		// known by its generation, since its expiry moves when it is signed anew.
		key, ask.digest = fmt.Sprintf("pass-%s-%d", pass.Account(), pass.Generation()), ""
	}
	hold, err := v.door.reserve(ctx, gate.Request{
		Reservation: uuid.NewString(),
		Account:     v.shopper.account, Ticket: pass.Account(),
		Key: key, Digest: ask.digest,
		Qty: ask.qty, PerAccount: sale.PerAccount,
		Hold: sale.Hold, MaxBacklog: v.house.cfg.Worker.MaxBacklog,
	})
	return v.outcome(hold, err)
}
