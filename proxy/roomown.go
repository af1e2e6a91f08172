package proxy

import (
	"errors"
	"net/http"
	"strings"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// paused is the answer about a line that this edge has not seen yet, or that
// does not answer.
func (g *guest) paused() answer {
	a := problem(http.StatusServiceUnavailable, "paused", static.Paused)
	a.retry = spread(pausePoll)
	return g.about(a)
}

// me is GET …/me.
func (g *guest) me() answer { return meAnswer(http.StatusOK, "me", g.stand()) }

// line is GET …/line: where who posted something waits, and where it is seen
// whether cookies are kept. Whose turn has come is led to the room, and so is
// who is not in line: to come in is to open a page there.
func (g *guest) line() answer {
	if query, ok := strings.CutPrefix(g.q.query, joined+"="); ok {
		return g.back(query)
	}
	m := g.stand()
	switch {
	case m.State == meWaiting, m.State == mePaused && g.shopper.ticket != nil, !g.q.wantsPage():
		return g.waiting(http.StatusOK, m)
	default:
		return answer{status: http.StatusSeeOther, decision: "room_back", location: roomAddress(g.room.cfg.Path)}
	}
}

// join is POST …/ticket, which brings in who needs no line.
func (g *guest) join() answer {
	if g.shopper.device() != "" {
		return meAnswer(http.StatusOK, "ticket", g.stand())
	}
	if g.q.wantsPage() && g.house.fromElsewhere(g.q, false) { // to where the cookies are sent
		return answer{status: http.StatusSeeOther, decision: "elsewhere", location: linePath(g.room.cfg.ID)}
	}
	if g.q.speculative() {
		return meAnswer(http.StatusTooManyRequests, "speculative", g.stand())
	}
	if over := g.excess(); over != nil {
		return g.about(slowDown(*over))
	}
	if err := g.admit(); err != nil && !errors.Is(err, queueing.ErrNotCalled) {
		return g.refused(err)
	}
	a := meAnswer(http.StatusCreated, "entered", g.stand())
	a.cookies = g.given()
	return a
}

// givePass is POST …/pass.
func (g *guest) givePass() answer {
	switch {
	case g.shopper.pass != nil:
		return passAnswer(g.stand(), g.shopper.pass, true)
	case g.shopper.ticket == nil:
		return meAnswer(http.StatusTooManyRequests, "no_ticket", g.stand())
	}
	if over := g.excess(); over != nil {
		return g.about(slowDown(*over))
	}
	if err := g.admit(); err != nil {
		return g.refused(err)
	}
	a := passAnswer(g.stand(), g.shopper.pass, false)
	a.cookies = g.given()
	return a
}

// refused is the answer to who does not come in and has opened no page.
func (g *guest) refused(err error) answer {
	retry, told := g.verdict(err)
	if !told {
		return g.paused()
	}
	m := g.stand()
	m.notBefore(retry)
	return waitAnswer("wait", m)
}
