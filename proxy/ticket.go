package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// join is POST …/ticket.
func (v *visit) join() answer {
	if v.shopper.ticket != nil {
		return meAnswer(http.StatusOK, "ticket", v.stand(nil))
	}
	return v.ticket(http.StatusCreated)
}

// enqueue is the answer to a buy whose turn it is not: into the line, if not
// there already, and asked to wait for retry at least.
func (v *visit) enqueue(retry time.Duration) answer {
	var a answer
	if v.shopper.ticket == nil && v.shopper.pass == nil {
		a = v.ticket(http.StatusTooManyRequests)
	} else {
		a = v.wait(retry)
	}
	return a.toLine(v.r, v.door.sale.ID)
}

// ticket gives a new ticket and says where it stands.
func (v *visit) ticket(status int) answer {
	switch {
	case v.board.state == stateScheduled:
		return v.notOpen()
	case v.board.state == stateEnded, v.board.state == stateSoldOut:
		a := meAnswer(http.StatusConflict, v.board.state, v.stand(nil))
		a.page, a.view = endPage(v.board), v.view(me{})
		return a
	case speculative(v.r): // nobody asked to be in line
		return meAnswer(http.StatusTooManyRequests, "speculative", v.stand(nil))
	}
	account, ok := v.entrant()
	if !ok {
		return v.problem(http.StatusForbidden, "sign_in", static.SignIn)
	}
	if over := v.house.limits.join(v.address(), time.Now()); over != nil {
		return v.about(slowDown(*over))
	}
	t, err := v.enter(queueing.Entry{Account: account})
	switch {
	case errors.Is(err, queueing.ErrNotOpen), errors.Is(err, queueing.ErrEnded):
		return v.notOpen() // the board is a tick behind
	case err != nil:
		v.house.warn("enter", v.door, err)
		return v.paused()
	}
	v.shopper.ticket = &t
	a := meAnswer(status, "entered", v.stand(nil))
	a.cookies = []*http.Cookie{v.ticketCookie(t)}
	return a
}

func (v *visit) notOpen() answer {
	a := meAnswer(http.StatusTooManyRequests, "not_open", v.stand(nil))
	a.page, a.view = static.Doors, v.view(me{})
	return a
}

// entrant is whose number it will be: nobody's, but in a sale with one ticket an
// account. There, ok is false for who has none.
func (v *visit) entrant() (account string, ok bool) {
	if !v.door.sale.OneTicketPerAccount {
		return "", true
	}
	account = v.house.account(v.r)
	return account, account != ""
}

// enter takes a number in line. It fails as queueing.Line.Enter does.
func (v *visit) enter(e queueing.Entry) (queueing.Ticket, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), storeWait)
	defer cancel()
	number, err := v.door.line.Enter(ctx, e)
	if err != nil {
		return queueing.Ticket{}, err
	}
	v.house.metrics.entry(v.door.sale.ID)
	return number.Ticket(v.board.line.Line, v.board.now()), nil
}

func (v *visit) ticketCookie(t queueing.Ticket) *http.Cookie {
	life := v.door.sale.Closes.Sub(v.board.now()) + ticketExtra
	return ownCookie(ticketPrefix+v.door.sale.ID, v.house.keyring.SignTicket(t), life)
}
