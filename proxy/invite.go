package proxy

import (
	"errors"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// invites reports whether an invitation of this number is one of the sale's.
func (b *board) invites(number uint64) bool { return number < uint64(b.sale.Invitations) }

// isByInvitation reports whether there are invitations to the sale.
func (v *visit) isByInvitation() bool { return v.door.sale.Invitations > 0 }

// invite is GET …/invite, the link of an invitation. Opening it gives its ticket
// and uses nothing up: mail scanners and previews of messages open links, too,
// and people open theirs on the phone and once more at the desk. Who has a ticket and
// comes from a page elsewhere is asked first.
func (v *visit) invite() answer {
	i, err := v.house.keyring.Invitation(v.door.sale.Key, v.r.URL.Query().Get("i"), v.board.now())
	expired := errors.Is(err, queueing.ErrExpired)
	switch {
	case err != nil && !expired, err == nil && !v.board.invites(i.Number):
		return v.problem(http.StatusForbidden, "invitation_unknown", static.InvitationUnknown)
	case v.shopper.pass != nil, v.shopper.ticket != nil && v.shopper.ticket.ID == i.ID:
		return answer{status: http.StatusSeeOther, decision: "invited_again", location: linePath(v.door.sale.ID)}
	case v.board.state == stateEnded, v.board.state == stateSoldOut:
		return v.problem(http.StatusGone, v.board.state, endPage(v.board))
	case expired:
		return v.problem(http.StatusGone, "invitation_expired", static.InvitationExpired)
	case v.q.method == http.MethodHead:
		return answer{status: http.StatusSeeOther, decision: "invited", location: linePath(v.door.sale.ID)}
	case v.q.speculative(): // nobody has opened it yet
		return meAnswer(http.StatusTooManyRequests, "speculative", v.stand(nil))
	case v.shopper.ticket != nil && v.ledHere():
		return v.askInvited()
	}
	return v.comeIn(i)
}

// ledHere reports whether a page elsewhere has opened the link: a message in which its
// shopper pressed it, or somebody who would have them give their place away. A page that
// may read what its shopper is told speaks for them.
func (v *visit) ledHere() bool {
	site := v.q.field("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site" && v.house.reader(v.q) == ""
}

// askInvited asks who has a ticket whether the invitation's is to take its place. The
// page's own link to the same address is a yes.
func (v *visit) askInvited() answer {
	all := v.view(me{})
	return answer{
		status: http.StatusOK, decision: "invite_asked", code: "ask", page: static.Invited,
		view: static.View{
			Title: all.Title, Brand: all.Brand, Offered: all.Offered, ProductPage: all.ProductPage,
			DoorsAt: all.DoorsAt, OpensAt: all.OpensAt, Whole: v.r.URL.RequestURI(),
		},
	}
}

// comeIn gives the ticket of an invitation, in the place of one that the shopper
// may have. Who got something with that one keeps it, or would lose sight of it.
func (v *visit) comeIn(i queueing.Invitation) answer {
	if over := v.house.limits.join(v.payer(), time.Now()); over != nil {
		return v.about(slowDown(*over))
	}
	a := answer{status: http.StatusSeeOther, decision: "invited", location: linePath(v.door.sale.ID)}
	if v.shopper.ticket != nil {
		switch _, has, err := v.find(); {
		case err != nil:
			v.house.warn("find order", v.door, err)
			return v.paused()
		case has:
			a.decision = "invited_again"
			return a
		}
	}
	v.house.metrics.invite(v.door.sale.ID)
	a.cookies = []*http.Cookie{v.ticketCookie(i.Ticket(v.board.now()))}
	a.location += "?" + joined
	return a
}
