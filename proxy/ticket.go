package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// ticketAtOnce is POST …/ticket of who has one.
func (v *visit) ticketAtOnce() (answer, bool) {
	if v.shopper.ticket == nil || v.mayRise() {
		return answer{}, false
	}
	return v.tell(http.StatusOK, "ticket", v.stand(nil)), true
}

// join is POST …/ticket of all others.
func (v *visit) join() answer {
	if v.shopper.ticket == nil && v.postedElsewhere() {
		return v.toOwnLine()
	}
	return v.unpressed(v.ticket(http.StatusCreated))
}

// postedElsewhere reports whether the request is a form that a page of somebody else's
// has posted. A browser sends none of our cookies with it, so a ticket given here could
// take the place of the one that its shopper has.
func (v *visit) postedElsewhere() bool {
	return v.q.method == http.MethodPost && v.q.wantsPage() && v.elsewhere
}

// toOwnLine leads to where the cookies are sent, and whoever has no ticket gets one.
func (v *visit) toOwnLine() answer {
	return answer{status: http.StatusSeeOther, decision: "elsewhere", location: linePath(v.door.sale.ID)}
}

// enqueue is the answer to a buy whose turn it is not: into the line, if not
// there already, and asked to wait for retry at least.
func (v *visit) enqueue(retry time.Duration) answer {
	var a answer
	switch {
	case v.shopper.ticket != nil, v.shopper.pass != nil:
		a = v.wait(retry)
	case v.postedElsewhere():
		return v.toOwnLine()
	case v.isAsked():
		a = v.toBeAsked()
	default:
		a = v.ticket(http.StatusTooManyRequests)
	}
	return a.toLine(v.q, v.door.sale.ID)
}

// ticket gives a new ticket and says where it stands.
func (v *visit) ticket(status int) answer {
	if no := v.notNow(); no != nil {
		return *no
	}
	if over := v.house.limits.join(v.payer(), time.Now()); over != nil {
		return v.about(slowDown(*over))
	}
	e, wrong, no := v.judged()
	switch {
	case no != nil:
		return *no
	case e.Behind && v.shopper.ticket != nil:
		return meAnswer(http.StatusOK, "ticket", v.stand(nil)) // one they have
	}
	got, err := v.enter(e)
	if err != nil {
		return v.notEntered(err)
	}
	t := queueing.NewTicket(v.board.line.Line, got.Number, v.board.now())
	v.shopper.ticket = &t
	if got.Again && !got.Behind {
		wrong = "" // it was shown when the number was given
	}
	a := meAnswer(status, "entered", v.stand(nil))
	a.waits, a.cookies = true, []*http.Cookie{v.ticketCookie(t)}
	if wrong != "" || v.isAsked() {
		return v.tellEntered(a, wrong)
	}
	return a
}

// notEntered is the table from the line's no to the answer to who wants a ticket.
func (v *visit) notEntered(err error) answer {
	switch {
	case errors.Is(err, queueing.ErrNotOpen), errors.Is(err, queueing.ErrEnded):
		return v.notOpen() // the board is a tick behind
	case errors.Is(err, queueing.ErrSpent):
		return *v.unshown(findSpent)
	default:
		v.house.warn("enter", v.door, err)
		return v.paused()
	}
}

// notNow is the answer to who cannot have a ticket, whatever they show; nil: they
// may.
func (v *visit) notNow() *answer {
	var no answer
	switch _, known := v.entrant(); {
	case v.board.state == stateScheduled:
		no = v.notOpen()
	case v.board.state == stateEnded, v.board.state == stateSoldOut:
		no = meAnswer(http.StatusConflict, v.board.state, v.stand(nil))
		no.page, no.view = endPage(v.board), v.view(me{})
	case v.q.speculative(): // nobody asked to be in line
		no = meAnswer(http.StatusTooManyRequests, "speculative", v.stand(nil))
	case !known:
		no = v.problem(http.StatusForbidden, "sign_in", static.SignIn)
	default:
		return nil
	}
	return &no
}

func (v *visit) notOpen() answer {
	a := waitAnswer("not_open", v.stand(nil))
	a.page, a.view = static.Doors, v.view(me{})
	return a
}

// entrant is whose number it will be: the account's of who is signed in, or else
// nobody's. ok is false for whom a sale with one ticket an account does not let in.
func (v *visit) entrant() (account string, ok bool) {
	account = v.house.account(v.q)
	return account, account != "" || !v.door.sale.OneTicketPerAccount
}

// enter takes a number in line. It fails as queueing.Line.Enter does.
func (v *visit) enter(e queueing.Entry) (queueing.Given, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), storeWait)
	defer cancel()
	got, err := v.door.line.Enter(ctx, e)
	switch {
	case err != nil && !refused(err):
		return got, err // a number may have been given, and wait for the account
	case err != nil, got.Again:
		v.unblock(e)
		return got, err
	}
	if !e.Proof.Ends.IsZero() {
		v.house.doorman.accepted(time.Now())
	}
	v.house.metrics.entry(v.door.sale.ID)
	return got, nil
}

// refused reports whether an error is the line's own no: then no number was given.
func refused(err error) bool {
	return errors.Is(err, queueing.ErrNotOpen) || errors.Is(err, queueing.ErrEnded) || errors.Is(err, queueing.ErrSpent)
}

func (v *visit) ticketCookie(t queueing.Ticket) *http.Cookie {
	life := v.door.sale.Closes.Sub(v.board.now()) + ticketExtra
	return ownCookie(ticketPrefix+v.door.sale.ID, v.house.keyring.SignTicket(t), life)
}
