package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/challenge"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// askedFor is the JSON of what is asked for a ticket.
type askedFor struct {
	Challenge string      `json:"challenge"`
	Bits      int         `json:"bits"`    // of each puzzle; 0: no proof is asked
	Puzzles   int         `json:"puzzles"` // see challenge.Solved
	After     int64       `json:"after_ms"`
	Expires   int64       `json:"expires_ms"`
	Check     *askedCheck `json:"check,omitempty"`
}

type askedCheck struct {
	Kind    string `json:"kind"`
	SiteKey string `json:"site_key"`
}

// asked is the JSON of who has no ticket, and where to ask what it takes.
type asked struct {
	me
	Challenge string `json:"challenge"` // an address
}

// found is the JSON of what did not give a ticket.
type found struct {
	Status    finding `json:"status"`
	Challenge string  `json:"challenge"` // an address
}

// stoodBehind is the JSON of a ticket behind the draw, and why it is one.
type stoodBehind struct {
	me
	Reason finding `json:"reason"`
}

func (v *visit) challengePath() string { return prefix + v.door.sale.ID + "/challenge" }

// ask is what is asked of this shopper, now.
func (v *visit) ask() static.Asked {
	d := v.house.doorman
	return d.ask(v.door.sale, d.bits(time.Now()), v.board.now())
}

// challenge is GET …/challenge. It costs a signature, and nothing is kept of it.
func (v *visit) challenge() answer {
	if no := v.notNow(); no != nil {
		return *no
	}
	a := v.ask()
	c := askedFor{Challenge: a.Challenge, Bits: a.Bits, Puzzles: challenge.Puzzles, After: a.After.Milliseconds(), Expires: challenge.Life.Milliseconds()}
	if a.Check != "" {
		c.Check = &askedCheck{Kind: a.Check, SiteKey: a.SiteKey}
	}
	return answer{status: http.StatusOK, decision: "challenge", body: c}
}

// atDoor is the page that asks, for who has no ticket yet.
func (v *visit) atDoor(status int) answer {
	if no := v.notNow(); no != nil {
		return *no
	}
	a := answer{status: status, decision: "door", page: static.Door, view: v.view(me{})}
	if v.house.doorman.asks() {
		a.view.Asked = v.ask()
	}
	return a
}

// doorPage is GET …/door: for who stands behind the draw and would rather be in it.
func (v *visit) doorPage() answer {
	if v.shopper.device() != "" && !v.mayRise() {
		return answer{status: http.StatusSeeOther, decision: "ticket", location: linePath(v.door.sale.ID)}
	}
	return v.atDoor(http.StatusOK)
}

// mayRise reports whether a shopper who stands behind the draw can still be in it,
// by showing what they did not show before, or once there is room for more from
// their block. Their number behind it is then nobody's.
func (v *visit) mayRise() bool {
	t := v.shopper.ticket
	return t != nil && t.Behind && v.shopper.pass == nil && v.house.sorts() &&
		v.board.state == stateDoors && !v.board.line.Counted
}

// sorts reports whether there are entries that are put behind the draw.
func (h *house) sorts() bool { return h.doorman.asks() || h.limits.blocks.buckets != nil }

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
	return answer{status: http.StatusTooManyRequests, decision: "asked", retry: m.poll, body: asked{me: m, Challenge: v.challengePath()}}
}

// entry is what a shopper enters with who wants a ticket, and for what they stand
// behind the draw, if they do; or the answer to who does not get one.
func (v *visit) entry() (e queueing.Entry, wrong finding, no *answer) {
	e.Account, _ = v.entrant()
	if v.house.doorman.asks() {
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

// blockFull counts a ticket in the draw towards the block of addresses from which it
// is wanted, if there is room.
func (v *visit) blockFull() (finding, *answer) {
	over := v.house.limits.block(v.door.sale.Key, v.address(), time.Now())
	if over == nil {
		return "", nil
	}
	v.house.metrics.suspicious(v.door.sale.ID, findBlockFull)
	if !v.house.doorman.behind() {
		a := v.about(slowDown(*over))
		return findBlockFull, &a
	}
	return findBlockFull, nil
}

// unblock takes back what blockFull counted, for an entry that came to nothing.
func (v *visit) unblock(e queueing.Entry) {
	if !e.Behind {
		v.house.limits.unblock(v.door.sale.Key, v.address(), time.Now())
	}
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
	c, wrong := v.house.doorman.judge(ctx, v.door.sale, s, v.address(), v.board.now())
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
		a = v.atDoor(http.StatusConflict)
		a.decision = string(wrong)
	case v.house.doorman.behind(), wrong == findCheckAway:
		return nil
	default:
		a = v.problem(http.StatusForbidden, "unproven", static.Unproven)
	}
	a.reason, a.body = string(wrong), found{Status: wrong, Challenge: v.challengePath()}
	return &a
}

// entered is what is told with a ticket that took something to get: a form goes on
// by where it is seen whether cookies are kept.
func (v *visit) entered(a answer, wrong finding) answer {
	if wrong != "" {
		a.decision, a.reason = "entered_behind", string(wrong)
		a.body = stoodBehind{me: v.stand(nil), Reason: wrong}
	}
	if wantsPage(v.r) {
		a.status, a.location = http.StatusSeeOther, linePath(v.door.sale.ID)+"?"+joined
	}
	return a
}
