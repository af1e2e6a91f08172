package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// roomTicketLife is how long a place in a room's line can be taken up.
const roomTicketLife = 24 * time.Hour

// guest is one request to a room: who asks, at which room, and what this edge
// knew of the room when the request came. It lives as long as the request. One
// that is nobody's guest is nil: it may enter, leaves nothing and is given nothing.
type guest struct {
	house   *house
	r       *http.Request // nil where nothing but what is known here is asked
	q       *question
	room    *room
	placard *placard // nil before the first tick
	shopper shopper
	left    bool           // the pass that was shown was released
	entered bool           // took a ticket in this request
	gives   []*http.Cookie // what goes along with whatever answer there is, see given
}

// guest reads the cookies of a request to a room. A ticket is one of the line, as
// in a sale; a pass is one of the room, so that who is inside stays there when a
// line is forgotten and another begins. Who shows a pass that was released is as
// without one. One that is shown keeps its seat.
func (h *house) guest(r *http.Request, q *question, at *room) *guest {
	g := &guest{house: h, r: r, q: q, room: at, placard: at.placard.Load()}
	if g.placard != nil {
		for v := range q.cookies(ticketPrefix, at.cfg.ID) {
			if t, err := h.keyring.Ticket(g.placard.line.Line, v); err == nil && g.now().Sub(t.Issued) < roomTicketLife {
				g.shopper.ticket = &t
				break
			}
		}
	}
	for v := range q.cookies(passPrefix, at.cfg.ID) {
		if p, err := h.keyring.Pass(at.cfg.Key, v, g.now()); err == nil {
			if at.line.Left(p.ID) {
				g.left = true
				continue
			}
			g.shopper.pass = &p
			at.line.Renew(p.ID, p.Expires)
			break
		}
	}
	return g
}

// now is Redis time as far as this edge knows it.
func (g *guest) now() time.Time {
	if g.placard == nil {
		return time.Now()
	}
	return g.placard.now()
}

func (g *guest) blind() bool { return g.placard == nil }
func (g *guest) id() string  { return g.room.cfg.ID }

// address is the one that limits count.
func (g *guest) address() netip.Addr { return g.house.trust.client(g.q) }

// payer is whom limits count the request for.
func (g *guest) payer() payer {
	return payer{addr: g.address(), device: g.shopper.device(), account: g.house.account(g.q)}
}

// shut reports whether who has no pass must wait. A room of which nothing is
// known yet has no line.
func (g *guest) shut() bool { return g.placard != nil && g.placard.shut() }

// errRoomAway says that Redis does not answer, and that it was not asked again.
var errRoomAway = errors.New("the line of the room does not answer")

// admit brings the shopper in: who has a ticket claims its pass, anyone else
// arrives. It fails as queueing.Room.Claim does; with queueing.ErrNotCalled also
// who arrives at a line, who has a ticket then.
func (g *guest) admit() error {
	if g.placard == nil || g.placard.away() {
		return errRoomAway
	}
	ctx, cancel := context.WithTimeout(g.r.Context(), storeWait)
	defer cancel()
	if g.shopper.ticket != nil {
		if err := g.claim(ctx); !errors.Is(err, queueing.ErrLeft) {
			return err
		}
		g.shopper.ticket = nil // used up: its pass was released
	}
	return g.arrive(ctx)
}

// claim takes the pass of a ticket whose turn has come.
func (g *guest) claim(ctx context.Context) error {
	t := g.shopper.ticket
	if t.Number.Value >= g.placard.line.Head {
		return queueing.ErrNotCalled // known here: no call to Redis
	}
	c, err := g.room.line.Claim(ctx, t.Number.Value, t.ID)
	if err != nil {
		return err
	}
	g.letIn(*t, c)
	return nil
}

// arrive takes a number, and the pass with it where nobody waits.
func (g *guest) arrive(ctx context.Context) error {
	a, err := g.room.line.Arrive(ctx)
	if err != nil {
		return err
	}
	g.house.metrics.entry(g.room.cfg.ID)
	t := queueing.Ticket{Sale: g.placard.line.Line, Number: queueing.Number{Value: a.Number}, ID: a.ID, Issued: g.now()}
	if a.Admitted {
		g.letIn(t, a.Claim)
		return nil
	}
	g.shopper.ticket, g.entered = &t, true
	g.gives = append(g.gives, ownCookie(ticketPrefix+g.room.cfg.ID, g.house.keyring.SignTicket(t), roomTicketLife))
	return queueing.ErrNotCalled
}

// letIn gives the pass for a ticket, which is used up by it.
func (g *guest) letIn(t queueing.Ticket, c queueing.Claim) {
	if !c.Again {
		g.house.metrics.pass(g.room.cfg.ID)
	}
	p := queueing.Pass{Sale: g.room.cfg.Key, Number: t.Number, ID: t.ID, Admitted: c.Admitted, Expires: c.Expires}
	g.shopper.pass = &p
	g.gives = append(g.gives, g.passCookie(p))
	g.gives = append(g.gives, g.withdrawn(ticketPrefix)...)
}

// stay carries a pass through a request: in a room with sliding passes it lives
// on from here, and is signed anew once a quarter of its life is used.
func (g *guest) stay() {
	p := *g.shopper.pass
	if until, moved := slid(p.Expires, g.now(), g.room.cfg.PassLife); g.room.cfg.Sliding && moved {
		p.Expires = until
		g.gives = append(g.gives, g.passCookie(p))
		g.room.line.Renew(p.ID, p.Expires)
	}
}

// slid is when a pass ends that is used at an instant, and whether that is late
// enough in its life to be worth a cookie.
func slid(expires, now time.Time, life time.Duration) (until time.Time, moved bool) {
	if left := expires.Sub(now); left > life-life/4 {
		return expires, false
	}
	return now.Add(life), true
}

// given is what goes along with the answer, at this moment: a pass that was released
// while the answer was on its way is not signed anew, but taken back.
func (g *guest) given() []*http.Cookie {
	switch {
	case g == nil:
		return nil
	case g.shopper.pass != nil && g.room.line.Left(g.shopper.pass.ID):
		return append(g.withdrawn(passPrefix), g.withdrawn(ticketPrefix)...)
	case g.shopper.pass == nil && g.left:
		return append(g.withdrawn(passPrefix), g.gives...)
	default:
		return g.gives
	}
}

// leave ends the shopper's stay, as the origin asks. What was to be given is not.
func (g *guest) leave() {
	switch {
	case g == nil:
	case g.shopper.pass != nil:
		g.room.line.Release(g.shopper.pass.ID)
	default:
		g.left, g.gives = true, g.withdrawn(ticketPrefix)
	}
}

func (g *guest) passCookie(p queueing.Pass) *http.Cookie {
	return ownCookie(passPrefix+g.room.cfg.ID, g.house.keyring.SignPass(p), p.Expires.Sub(g.now()))
}

// withdrawn removes one of the room's cookies from a browser that sent it.
func (g *guest) withdrawn(kind string) []*http.Cookie {
	if g.q.cookie(kind, g.room.cfg.ID) == "" {
		return nil
	}
	return []*http.Cookie{ownCookie(kind+g.room.cfg.ID, "", 0)}
}
