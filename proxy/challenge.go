package proxy

import (
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/challenge"
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

// proveAt is the JSON of the page that asks.
type proveAt struct {
	Status    string `json:"status"`
	Challenge string `json:"challenge,omitempty"` // an address; empty: nothing is asked
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
	c := askedFor{Challenge: a.Challenge, Bits: a.Bits, Puzzles: a.Puzzles, After: a.After.Milliseconds(), Expires: challenge.Life.Milliseconds()}
	if a.Check != "" {
		c.Check = &askedCheck{Kind: a.Check, SiteKey: a.SiteKey}
	}
	return answer{status: http.StatusOK, decision: "challenge", body: c}
}

// provePage is the page that asks, for who has no ticket yet.
func (v *visit) provePage(status int) answer {
	if no := v.notNow(); no != nil {
		return *no
	}
	a := answer{status: status, decision: "prove", page: static.Prove, view: v.view(me{})}
	where := proveAt{Status: "prove"}
	if v.isAsked() {
		a.view.Asked, where.Challenge = v.ask(), v.challengePath()
	}
	a.body = where
	return a
}

// prove is GET …/prove: for who stands behind the draw and would rather be in it.
func (v *visit) prove() answer {
	if v.shopper.device() != "" && !v.mayRise() {
		return answer{status: http.StatusSeeOther, decision: "ticket", location: linePath(v.door.sale.ID)}
	}
	return v.provePage(http.StatusOK)
}
