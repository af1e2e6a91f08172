package proxy

import (
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// enter lets a request on to the origin, or gives the answer that it gets here.
// Only who opens a page comes in or gets in line; what a page loads, and what is
// posted, goes with those who are inside, or while there is no line.
func (g *guest) enter() *answer {
	switch {
	case g == nil:
	case g.shopper.pass != nil:
		g.stay()
	case g.house.wins(g.q), neverQueued(g.r):
	case g.q.method == http.MethodGet && g.q.wantsPage() && !g.q.speculative() && !g.q.framed():
		return g.come()
	case g.shut() && g.q.framed():
		a := openedInFrame(g.view(me{}))
		return &a
	case g.shut():
		a := waitAnswer("room_wait", g.stand()).toLine(g.q, g.room.cfg.ID)
		a.cookies = g.given()
		return &a
	}
	return nil
}

// come is the opening of a page by who has no pass.
func (g *guest) come() *answer {
	if over := g.excess(); over != nil {
		a := g.about(slowDown(*over))
		return &a
	}
	err := g.admit()
	if err == nil {
		return nil
	}
	retry, told := g.verdict(err)
	if !told && !g.shut() && g.room.withoutRedis.Allow() {
		return nil // a shop whose Redis is away is still a shop
	}
	a := g.wait(retry)
	return &a
}

// verdict is the table from the line's no to what there is to tell: to wait, for
// retry at least; or nothing, when the line did not answer.
func (g *guest) verdict(err error) (retry time.Duration, told bool) {
	if wait, ok := errors.AsType[*queueing.WaitError](err); ok {
		return wait.Retry, true
	}
	switch {
	case errors.Is(err, queueing.ErrNotCalled), errors.Is(err, queueing.ErrPaused):
		return 0, true
	case !errors.Is(err, errRoomAway):
		g.house.warnOf("enter room", g.room.cfg.ID, err)
	}
	return 0, false
}

// excess is what this try to come in is above, if anything: who arrives counts as
// who joins a sale, and who has a ticket that is called as who claims.
func (g *guest) excess() *excess {
	if g.shopper.ticket == nil {
		return g.house.limits.join(g.payer(), time.Now())
	}
	if g.placard != nil && g.shopper.ticket.Number.Value < g.placard.line.Head {
		return g.house.limits.claim(g.payer(), time.Now())
	}
	return nil
}

// wait is the waiting page, under the address that was asked for. With a ticket
// that is new it soon asks once more by way of the line's, where it is seen
// whether cookies are kept: who keeps none would take a number each time.
func (g *guest) wait(retry time.Duration) answer {
	m := g.stand()
	m.notBefore(retry)
	a := g.waiting(g.room.cfg.WaitingStatus, m)
	if g.entered {
		if a.view.RenewAt = g.byTheLine(); a.view.RenewAt != "" {
			a.view.Refresh = spread(cookiePoll)
		}
	}
	return a
}

// waiting is the page for who stands in line, or would.
func (g *guest) waiting(status int, m me) answer {
	a := answer{status: status, decision: "room_" + m.State, body: &m, page: inLine(m, math.MaxInt64), view: g.view(m), cookies: g.given()}
	if m.State == mePaused {
		a.page = static.Paused
	}
	if status != http.StatusOK {
		a.retry = m.poll
	}
	return a
}

// stand says where the shopper stands.
func (g *guest) stand() me {
	if g.placard != nil {
		return g.placard.stand(&g.shopper)
	}
	m := me{State: meNone}
	if g.shopper.pass != nil {
		m.State = meAdmitted
	}
	m.poll = spread(pausePoll)
	return m
}

// about gives an answer's page the room that it is about, and renews the page
// when asking again makes sense.
func (g *guest) about(a answer) answer {
	if a.ready = g.house.ready; g.q.wantsPage() {
		a.view = g.view(me{poll: a.retry})
	}
	return a
}

// view fills in what a page may say about the room and the shopper.
func (g *guest) view(m me) static.View {
	cfg := g.room.cfg
	view := static.View{
		Sale: cfg.ID, Room: true, Title: cfg.Title, Brand: g.room.brand, Offered: strings.Join(cfg.Languages, " "), ProductPage: cfg.Path,
		Low: m.standing.Low, High: m.standing.High, Refresh: m.poll,
	}
	if g.placard != nil {
		view.Message = g.placard.line.Message
	}
	if m.HasNumber {
		view.HasNumber, view.Number = true, m.Number
		view.HasPlace, view.Place, view.Ahead = true, m.Place, m.Ahead
	}
	return view
}
