package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// asked is the JSON of who has no ticket, and where to ask what it takes.
type asked struct {
	me
	Challenge string // an address
}

// found is the JSON of what did not give a ticket.
type found struct {
	Status    finding `json:"status"`
	Challenge string  `json:"challenge"` // an address
}

// stoodBehind is the JSON of a ticket behind the draw, and why it is one.
type stoodBehind struct {
	me
	Reason finding
}

// mayRise reports whether a shopper who stands behind the draw can still be in it,
// by showing what they did not show before, or once there is room for more from
// their block. Their number behind it is then their account's no more; but nobody
// takes the ticket from who has kept it, nor the turn that it has.
func (v *visit) mayRise() bool {
	t := v.shopper.ticket
	return t != nil && t.Number.Behind && v.shopper.pass == nil && v.putsBehind() &&
		v.board.state == stateDoors && !v.board.line.Counted
}

// isAsked reports whether who wants a ticket has to show something.
func (v *visit) isAsked() bool { return v.house.doorman.asks() }

// putsBehind reports whether there are entries that are put behind the draw.
func (v *visit) putsBehind() bool { return v.isAsked() || v.house.limits.capsBlocks() }

// toBeAsked is the answer to a buy without a ticket: to a form the way to the line,
// to others where to ask.
func (v *visit) toBeAsked() answer {
	if no := v.notNow(); no != nil {
		return *no
	}
	if over := v.house.limits.request(v.payer(), time.Now()); over != nil {
		return v.about(slowDown(*over))
	}
	m := v.stand(nil)
	return answer{status: http.StatusTooManyRequests, decision: "asked", waits: true, retry: m.poll, body: &asked{me: m, Challenge: v.challengePath()}}
}

// judged is what a shopper enters with who wants a ticket, and for what they stand
// behind the draw, if they do; or the answer to who does not get one.
func (v *visit) judged() (e queueing.Entry, wrong finding, no *answer) {
	e.Account, _ = v.entrant()
	if v.isAsked() {
		if e.Proof, wrong, no = v.shows(); no != nil {
			return e, wrong, no
		}
	}
	if wrong == "" {
		wrong, no = v.blockFull()
	}
	e.Behind = wrong != ""
	return e, wrong, no
}

// shows judges what comes with the wish for a ticket.
func (v *visit) shows() (p queueing.Proof, wrong finding, no *answer) {
	s, err := readEvidence(v.r)
	if err != nil {
		a := v.about(badRequest(err))
		return p, "", &a
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), checkWait+storeWait)
	defer cancel()
	d := v.house.doorman
	c, wrong := d.judge(ctx, v.door.sale, s, v.address(), d.bits(time.Now()), v.board.now())
	if wrong == "" {
		return queueing.Proof{ID: c.ID, Ends: c.Expires()}, "", nil
	}
	v.house.metrics.suspicious(v.door.sale.ID, wrong)
	return p, wrong, v.unshown(wrong)
}

// unshown is the answer to who does not get a ticket for what they have shown; nil:
// they get one behind the draw. Nobody is refused because somebody else's service
// is away.
func (v *visit) unshown(wrong finding) *answer {
	var a answer
	switch {
	case wrong.again():
		a = v.provePage(http.StatusConflict)
		a.decision = string(wrong)
	case v.house.doorman.behind(), wrong == findCheckAway:
		return nil
	default:
		a = v.problem(http.StatusForbidden, "unproven", static.Unproven)
	}
	a.reason, a.body = string(wrong), found{Status: wrong, Challenge: v.challengePath()}
	return &a
}

// tellEntered is what is told with a ticket that took something to get: a form goes on
// by where it is seen whether cookies are kept.
func (v *visit) tellEntered(a answer, wrong finding) answer {
	if wrong != "" {
		a.decision, a.reason = "entered_behind", string(wrong)
		a.body = &stoodBehind{me: v.stand(nil), Reason: wrong}
	}
	if v.q.wantsPage() {
		a.status, a.location = http.StatusSeeOther, linePath(v.door.sale.ID)+"?"+joined
	}
	return a
}
