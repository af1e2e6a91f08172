package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// serveRoomOwn answers what is under our own prefix about a room.
func (h *house) serveRoomOwn(w http.ResponseWriter, r *http.Request, rec *record, want want) {
	g := h.guest(r, h.rooms[want.room.ID])
	methods := allowed[want.part]
	switch {
	case methods == nil, want.part == "order":
		rec.end(w, r, problem(http.StatusNotFound, "not_found", static.NotFound))
		return
	case !slices.Contains(methods, r.Method):
		rec.end(w, r, methodNotAllowed(strings.Join(methods, ", ")))
		return
	case g.sign == nil:
		rec.end(w, r, g.unknown())
		return
	}
	if over := h.limits.request(g.shopper.device(), g.address(), time.Now()); over != nil {
		rec.end(w, r, g.slowDown(*over))
		return
	}
	switch want.part {
	case "status":
		rec.decision = "status"
		g.sign.status.serve(w, r)
	case "me":
		rec.end(w, r, meAnswer(http.StatusOK, "me", g.stand()))
	case "line":
		rec.end(w, r, g.line())
	case "ticket":
		rec.end(w, r, g.toLine(g.join()))
	case "pass":
		rec.end(w, r, g.toLine(g.givePass()))
	}
}

// unknown is the answer about a room that this edge has not seen yet.
func (g *guest) unknown() answer {
	a := problem(http.StatusServiceUnavailable, "paused", static.Paused)
	a.retry = spread(pausePoll)
	a.view = g.view(me{poll: a.retry})
	return a
}

// line is GET …/line: where who posted something waits, and where it is seen
// whether cookies are kept. Whose turn has come is led to the room, and so is
// who is not in line: to come in is to open a page there.
func (g *guest) line() answer {
	if query, ok := strings.CutPrefix(g.r.URL.RawQuery, joined+"="); ok {
		return g.back(query)
	}
	m := g.stand()
	switch {
	case m.State == meWaiting, m.State == mePaused && g.shopper.ticket != nil, !wantsPage(g.r):
		return g.waiting(http.StatusOK, m)
	default:
		return answer{status: http.StatusSeeOther, decision: "room_back", location: roomAddress(g.room.cfg.Path)}
	}
}

// back leads to the page that was asked for at first, if cookies are kept.
func (g *guest) back(query string) answer {
	target, err := url.QueryUnescape(query)
	if err != nil || !isBack(target) {
		target = roomAddress(g.room.cfg.Path)
	}
	if g.shopper.device() == "" {
		a := problem(http.StatusOK, "cookies_needed", static.CookiesNeeded)
		a.view = g.view(me{})
		a.view.RenewAt = target
		return a
	}
	return answer{status: http.StatusSeeOther, decision: "room_back", location: target}
}

// roomAddress is a room's path as it stands in an address.
func roomAddress(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// join is POST …/ticket, which brings in who needs no line.
func (g *guest) join() answer {
	if g.shopper.device() != "" {
		return meAnswer(http.StatusOK, "ticket", g.stand())
	}
	if speculative(g.r) {
		return meAnswer(http.StatusTooManyRequests, "speculative", g.stand())
	}
	if over := g.excess(); over != nil {
		return g.slowDown(*over)
	}
	if err := g.admit(); err != nil && !errors.Is(err, queueing.ErrNotCalled) {
		return g.failed(err)
	}
	a := meAnswer(http.StatusCreated, "entered", g.stand())
	a.cookies = g.gives
	return a
}

// givePass is POST …/pass.
func (g *guest) givePass() answer {
	switch {
	case g.shopper.pass != nil:
		return g.passGiven(true)
	case g.shopper.ticket == nil:
		return meAnswer(http.StatusTooManyRequests, "wait", g.stand())
	}
	if over := g.excess(); over != nil {
		return g.slowDown(*over)
	}
	if err := g.admit(); err != nil {
		return g.failed(err)
	}
	return g.passGiven(false)
}

func (g *guest) passGiven(again bool) answer {
	return answer{status: http.StatusOK, decision: "admitted", cookies: g.gives, body: passGiven{
		me: g.stand(), AdmittedAt: g.shopper.pass.Admitted.UnixMilli(), Again: again}}
}

// failed is the table from the line's no to the shopper's answer.
func (g *guest) failed(err error) answer {
	m := g.stand()
	switch wait, _ := errors.AsType[*queueing.WaitError](err); {
	case wait != nil:
		if wait.Retry > m.poll {
			m.askAgain(spread(wait.Retry))
		}
		fallthrough
	case errors.Is(err, queueing.ErrNotCalled):
		return meAnswer(http.StatusTooManyRequests, "wait", m)
	case !errors.Is(err, errRoomAway) && !errors.Is(err, queueing.ErrPaused):
		g.house.warnOf("enter room", g.room.cfg.ID, err)
	}
	return g.unknown()
}

// toLine turns the answer to a posted form, unless it is a refusal, into a
// redirect to the line's page, so that a reload posts nothing.
func (g *guest) toLine(a answer) answer {
	if isForm(g.r) && (a.status < http.StatusBadRequest || a.decision == "wait") {
		a.status, a.location = http.StatusSeeOther, linePath(g.room.cfg.ID)
	}
	return a
}
