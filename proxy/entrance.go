package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// roomTicketLife is how long a place in a room's line can be taken up.
const roomTicketLife = 24 * time.Hour

// maxBack is the longest address to which a shopper is led back after it was seen
// whether cookies are kept.
const maxBack = 2048

// enter lets a request on to the origin, or gives the answer that it gets here.
// Only who opens a page comes in or gets in line; what a page loads, and what is
// posted, goes with those who are inside, or while there is no line.
func (g *guest) enter() *answer {
	switch {
	case g.shopper.pass != nil:
		g.stay()
	case neverQueued(g.r):
	case g.r.Method == http.MethodGet && wantsPage(g.r) && !speculative(g.r):
		return g.come()
	case g.shut():
		a := g.turnedAway()
		return &a
	}
	return nil
}

// come is the opening of a page by who has no pass.
func (g *guest) come() *answer {
	if over := g.excess(); over != nil {
		a := g.slowDown(*over)
		return &a
	}
	err := g.admit()
	switch wait, _ := errors.AsType[*queueing.WaitError](err); {
	case err == nil:
		return nil
	case wait != nil:
		return g.wait(wait.Retry)
	case errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrPaused):
		return g.wait(0)
	}
	if !errors.Is(err, errRoomAway) {
		g.house.warnOf("enter room", g.room.cfg.ID, err)
	}
	if !g.shut() && g.room.alone.Allow() {
		return nil // a shop whose Redis is away is still a shop
	}
	return g.wait(0)
}

// excess is what this try to come in is above, if anything: who arrives counts as
// who joins a sale, who claims as a device that buys.
func (g *guest) excess() *excess {
	if g.shopper.ticket == nil {
		return g.house.limits.join(g.address(), time.Now())
	}
	if g.sign != nil && g.shopper.ticket.Number < g.sign.line.Head {
		return g.house.limits.claim(g.shopper.device(), time.Now())
	}
	return nil
}

func (g *guest) slowDown(over excess) answer {
	a := slowDown(over)
	a.view = g.view(me{poll: a.retry})
	return a
}

// wait is the waiting page, under the address that was asked for. With a ticket
// that is new it asks once more by way of the line's, where it is seen whether
// cookies are kept: who keeps none would take a number each time.
func (g *guest) wait(retry time.Duration) *answer {
	m := g.stand()
	if retry > m.poll {
		m.askAgain(spread(retry))
	}
	a := g.waiting(g.room.cfg.WaitingStatus, m)
	if target := g.r.URL.RequestURI(); len(g.gives) > 0 && isBack(target) {
		a.view.RenewAt = linePath(g.room.cfg.ID) + "?" + joined + "=" + url.QueryEscape(target)
	}
	return &a
}

// waiting is the page for who stands in line, or would.
func (g *guest) waiting(status int, m me) answer {
	a := answer{status: status, decision: "room_" + m.State, body: m, page: static.Waiting, view: g.view(m), cookies: g.gives}
	if m.State == mePaused {
		a.page = static.Paused
	}
	if status != http.StatusOK {
		a.retry = m.poll
	}
	return a
}

// turnedAway is the answer to what is no opening of a page while there is a line.
// A form is sent to the line's page, so that a reload posts nothing.
func (g *guest) turnedAway() answer {
	a := meAnswer(http.StatusTooManyRequests, "room_wait", g.stand())
	if isForm(g.r) {
		a.status, a.location = http.StatusSeeOther, linePath(g.room.cfg.ID)
	}
	return a
}

// stand says where the shopper stands.
func (g *guest) stand() me {
	if g.sign != nil {
		return g.sign.stand(g.shopper)
	}
	m := me{State: meNone}
	if g.shopper.pass != nil {
		m.State = meAdmitted
	}
	m.askAgain(spread(pausePoll))
	return m
}

// view fills in what a page may say about the room and the shopper. Without a
// BuyPath it renews itself where it is, which keeps the deep link.
func (g *guest) view(m me) static.View {
	cfg := g.room.cfg
	view := static.View{
		Sale: cfg.ID, Title: cfg.Title, ProductPage: cfg.Path,
		Low: m.standing.Low, High: m.standing.High, Refresh: m.poll,
	}
	if g.sign != nil {
		view.Message = g.sign.line.Message
	}
	if m.Number != nil {
		view.HasNumber, view.Number = true, *m.Number
		view.HasPlace, view.Place, view.Ahead = true, *m.Place, *m.Ahead
	}
	return view
}

// neverQueued reports whether a request is one that no line is for, whatever it
// costs the origin: one that shows nothing, or asks for what belongs to the whole
// host. A path that is not in its plain form is not believed.
func neverQueued(r *http.Request) bool {
	if r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return true
	}
	path := r.URL.EscapedPath()
	return strings.EqualFold(foldPath(path), path) && (path == "/robots.txt" ||
		strings.HasPrefix(path, "/favicon.") || strings.HasPrefix(path, "/apple-touch-icon") ||
		strings.HasPrefix(path, "/.well-known/"))
}

// isBack reports whether a target is an address on this host to lead back to.
func isBack(target string) bool {
	return strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") && len(target) <= maxBack &&
		!strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f })
}
