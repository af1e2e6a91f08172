package proxy

import (
	"net/http"
	"net/netip"

	"github.com/waitroom/waitroom/queueing"
)

// shopper is what a request proves about who sent it, in one sale.
type shopper struct {
	ticket  *queueing.Ticket // nil: none
	pass    *queueing.Pass   // nil: none that is valid
	account string           // the storefront's, or the ticket's; empty: neither
}

// shopper reads the cookies of a request. What was not signed by us, for the line
// that the board is of, is as if it were not there; but a pass that got something
// is signed for the sale.
func (h *house) shopper(r *http.Request, b *board) shopper {
	s := shopper{account: h.account(r)}
	for _, v := range cookieValues(r, ticketPrefix+b.sale.ID) {
		if t, ok := h.ticket(b, v); ok {
			s.ticket = &t
			break
		}
	}
	for _, v := range cookieValues(r, passPrefix+b.sale.ID) {
		p, err := h.keyring.Pass(b.line.Line, v, b.now())
		if err != nil {
			p, err = h.keyring.Pass(b.sale.Key, v, b.now())
		}
		if err == nil {
			s.pass = &p
			break
		}
	}
	if s.account == "" {
		s.account = s.device()
	}
	return s
}

// ticket reads a ticket of the line that the board is of, or an invited one of
// its sale: invitations are not numbered anew when a line is forgotten.
func (h *house) ticket(b *board, value string) (t queueing.Ticket, ok bool) {
	t, err := h.keyring.Ticket(b.line.Line, value)
	if err == nil || b.sale.Invitations == 0 {
		return t, err == nil && !t.Number.Invited
	}
	t, err = h.keyring.Ticket(b.sale.Key, value)
	return t, err == nil && t.Number.Invited && b.invites(t.Number.Value)
}

// account is who the storefront says this is; empty when it does not say. Once
// there are trusted proxies, a header that they do not vouch for says nothing.
func (h *house) account(r *http.Request) string {
	if h.identity.Header != "" && !h.mayName(r) {
		return ""
	}
	return h.identity.account(r)
}

// mayName reports whether a header of a request may say who its shopper is.
func (h *house) mayName(r *http.Request) bool { return len(h.trust) == 0 || h.trust.believes(r) }

// device names the browser by what it was given; empty when it has nothing.
func (s shopper) device() string {
	switch {
	case s.pass != nil:
		return s.pass.Account()
	case s.ticket != nil:
		return s.ticket.Account()
	default:
		return ""
	}
}

// payer is whom limits count a request of this shopper for.
func (s shopper) payer(addr netip.Addr) payer {
	p := payer{addr: addr, device: s.device(), account: s.account}
	if p.account == p.device {
		p.account = "" // the storefront names none
	}
	return p
}

// number is the one that ticket or pass carries.
func (s shopper) number() (n queueing.Number, ok bool) {
	switch {
	case s.ticket != nil:
		return s.ticket.Number, true
	case s.pass != nil:
		return s.pass.Number, true
	default:
		return n, false
	}
}
