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

// noAtOnce is the answer to a buy that costs no call, whatever the body says: nothing is
// left, and this shopper has nothing. What a form asks for is kept, while units may come
// back, so it is read.
func (v *visit) noAtOnce() (answer, bool) {
	switch {
	case v.board == nil:
		return v.paused(), true
	case v.q.framed(), !v.nothingLeft(), v.isForm() && v.board.state != stateSoldOut, !v.hasNothing():
		return answer{}, false
	default:
		return v.keep(v.soldOut()), true
	}
}

// hasNothing reports whether it is known at once that the shopper has nothing.
func (v *visit) hasNothing() bool {
	if v.shopper.pass == nil && !v.called() {
		return !v.door.got.has(&v.shopper) // nobody buys before being called
	}
	return v.door.got.lack(&v.shopper)
}

// buy is the sale's buy request, where noAtOnce does not answer it.
func (v *visit) buy() answer {
	if v.q.framed() {
		a, _ := pays(v, v.house, v.q)
		return a
	}
	return v.keep(v.decide())
}

// decide says what a buy is answered. What can be refused from memory is, before the
// body is read; then the pass is found, or claimed on the way; then the gate decides.
func (v *visit) decide() answer {
	var has *gate.Holder
	if v.nothingLeft() {
		var certain bool
		if has, certain = v.holding(); has == nil && certain {
			return v.soldOut()
		}
	}
	if over := v.house.limits.buy(v.payer(), time.Now()); over != nil {
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
	v.asksFor = ask
	switch {
	case errors.Is(err, errTooLarge) && v.isForm() && !v.called():
		return v.enqueue(0) // what it holds is lost, the place is not
	case err != nil:
		return v.about(badRequest(err))
	case ask.qty > v.door.sale.PerAccount:
		return v.problem(http.StatusUnprocessableEntity, "too_many", static.BadRequest)
	case v.tooLong():
		return v.about(badRequest(fmt.Errorf("fields that go along to the checkout: at most %d bytes are allowed", mostToCheckout)))
	case !v.called():
		return v.enqueue(0)
	}
	if has != nil && has.OtherKey(v.keyOf(*ask)) {
		return v.alreadyBought(has.Reservation) // as the gate would say
	}
	return v.admit(*ask)
}

// holding is what this shopper has, when nothing is left; nil: nothing, as far as
// is known here. certain says that it is known: then a no costs no call.
func (v *visit) holding() (has *gate.Holder, certain bool) {
	if v.shopper.pass == nil && !v.called() {
		return nil, !v.door.got.has(&v.shopper) // nobody buys before being called
	}
	return v.door.got.find(v.r.Context(), &v.shopper)
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
	default:
		n, ok := s.number()
		return ok && v.board.line.Standing(n).State == queueing.StandingCalled
	}
}

// admit brings a shopper whose turn it is to the gate. A pass that was not
// fetched before is claimed on the way.
func (v *visit) admit(ask ask) answer {
	ctx, cancel := context.WithTimeout(v.r.Context(), storeWait)
	defer cancel()
	switch in, err := v.admitted(); {
	case err != nil:
		return v.unanswered("find order", err)
	case in:
		return v.reserve(ctx, ask)
	}
	if v.shopper.pass = nil; v.shopper.ticket == nil {
		return v.enqueue(0)
	}
	if over := v.house.limits.claim(v.payer(), time.Now()); over != nil {
		return v.about(slowDown(*over))
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
	if ask.key == "" {
		ask.digest = "" // whatever its body
	}
	hold, err := v.door.reserve(ctx, gate.Request{
		Reservation: uuid.NewString(),
		Account:     v.shopper.account, Ticket: pass.Account(),
		Key: v.keyOf(ask), Digest: ask.digest,
		Qty: ask.qty, PerAccount: sale.PerAccount,
		Hold: sale.Hold, MaxBacklog: v.house.cfg.Worker.MaxBacklog,
	})
	return v.outcome(hold, err)
}

// keyOf is the idempotency key of an ask: without one of its own it is keyed by
// its pass. That is known by its generation, since its expiry moves when it is
// signed anew. Empty while there is neither.
func (v *visit) keyOf(ask ask) string {
	if pass := v.shopper.pass; ask.key == "" && pass != nil {
		return fmt.Sprintf("pass-%s-%d", pass.Account(), pass.Generation())
	}
	return ask.key
}
