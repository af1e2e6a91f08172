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
	AdmittedAt int64
	Again      bool // the same pass as before
}

func passAnswer(m me, p *queueing.Pass, again bool) answer {
	a := answer{status: http.StatusOK, decision: "admitted", body: &passGiven{me: m, AdmittedAt: p.Admitted.UnixMilli(), Again: again}}
	if again {
		a.decision = "pass_again"
	}
	return a
}

// givePass is POST …/pass.
func (v *visit) givePass() answer {
	switch in, err := v.admitted(); {
	case err != nil:
		return v.unanswered("find order", err)
	case in:
		return passAnswer(v.stand(nil), v.shopper.pass, true)
	}
	if over := v.house.limits.claim(v.payer(), time.Now()); over != nil {
		return v.about(slowDown(*over))
	}
	switch {
	case v.shopper.ticket == nil:
		return meAnswer(http.StatusTooManyRequests, "no_ticket", v.stand(nil))
	case v.board.state != stateOpen || v.nothingLeft():
		return v.wait(0)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), storeWait)
	defer cancel()
	p, err := v.claim(ctx)
	if err != nil {
		return v.notAdmitted(err)
	}
	v.shopper.pass = &p
	a := passAnswer(v.stand(nil), &p, false)
	a.cookies = []*http.Cookie{v.passCookie(p)}
	return a
}

func (v *visit) passCookie(p queueing.Pass) *http.Cookie {
	return ownCookie(passPrefix+v.door.sale.ID, v.house.keyring.SignPass(p), p.Expires.Sub(v.board.now()))
}

// claim takes the pass of a ticket whose turn has come. It fails as
// queueing.Line.Claim does.
func (v *visit) claim(ctx context.Context) (queueing.Pass, error) {
	t := v.shopper.ticket
	c, err := v.claimTurn(ctx, t.Number)
	if err != nil {
		return queueing.Pass{}, err
	}
	if !c.Again {
		v.house.metrics.pass(v.door.sale.ID)
	}
	return queueing.Pass{Sale: v.board.line.Line, Number: t.Number, ID: t.ID, Admitted: c.Admitted, Expires: c.Expires}, nil
}

func (v *visit) claimTurn(ctx context.Context, n queueing.Number) (queueing.Claim, error) {
	turn, ok := v.board.line.Turn(n)
	switch {
	case !ok:
		return queueing.Claim{}, queueing.ErrNotOpen
	case !turn.Invited && turn.Place >= v.board.line.Head:
		return queueing.Claim{}, queueing.ErrNotCalled // known here: no call to Redis
	}
	return v.door.line.Claim(ctx, turn)
}

// notAdmitted is the table from the line's no to the shopper's answer.
func (v *visit) notAdmitted(err error) answer {
	if wait, ok := errors.AsType[*queueing.WaitError](err); ok {
		return v.enqueue(wait.Retry)
	}
	switch {
	case errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrNotOpen):
		return v.enqueue(0)
	case errors.Is(err, queueing.ErrPaused), errors.Is(err, queueing.ErrEnded):
		return v.paused() // the board will say so, too
	default:
		return v.unanswered("claim", err)
	}
}

// wait is the answer to whom no pass is given now. They are not to come back
// before retry.
func (v *visit) wait(retry time.Duration) answer {
	m := v.stand(nil)
	m.notBefore(retry)
	return waitAnswer("wait", m)
}
