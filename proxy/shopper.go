package proxy

import (
	"net/netip"
	"unsafe"

	"github.com/waitroom/waitroom/queueing"
)

// shopper is what a request proves about who sent it, in one sale.
type shopper struct {
	ticket  *queueing.Ticket // nil: none
	pass    *queueing.Pass   // nil: none that is valid
	account string           // the storefront's, or the ticket's; empty: neither

	kept bearer // what was read of both
}

// bearer is a ticket and a pass where they were read, and what their bearer is called.
type bearer struct {
	ticket queueing.Ticket
	pass   queueing.Pass
	id     [8]byte
	text   [queueing.AccountSize]byte
	name   string // of id; empty: there is none yet
}

// read reads the cookies of a request. What was not signed by us, for the line that the
// board is of, is as if it were not there; but a pass that got something is signed for
// the sale.
func (s *shopper) read(h *house, q *question, b *board) {
	s.account = h.account(q)
	for v := range q.cookies(ticketPrefix, b.sale.ID) {
		if t, ok := h.ticket(b, v); ok {
			s.kept.ticket = t
			s.ticket = &s.kept.ticket
			break
		}
	}
	for v := range q.cookies(passPrefix, b.sale.ID) {
		p, err := h.keyring.Pass(b.line.Line, v, b.now())
		if err != nil {
			p, err = h.keyring.Pass(b.sale.Key, v, b.now())
		}
		if err == nil {
			s.kept.pass = p
			s.pass = &s.kept.pass
			break
		}
	}
	s.kept.call(s.ticket, s.pass)
	if s.account == "" {
		s.account = s.device()
	}
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
func (h *house) account(q *question) string {
	if h.identity.Header != "" && !h.mayName(q) {
		return ""
	}
	return h.identity.account(q)
}

// mayName reports whether a header of a request may say who its shopper is.
func (h *house) mayName(q *question) bool { return len(h.trust) == 0 || h.trust.believes(q) }

// call notes what the bearer of a ticket or a pass is called, in the place where that is
// kept: a million times a second nobody wants new memory for it. What is called so is
// never kept beyond the request.
func (c *bearer) call(t *queueing.Ticket, p *queueing.Pass) {
	switch {
	case p != nil:
		c.id = p.ID
	case t != nil:
		c.id = t.ID
	default:
		return
	}
	text := queueing.AppendAccount(c.text[:0], c.id)
	c.name = unsafe.String(unsafe.SliceData(text), len(text))
}

// device names the browser by what it was given; empty when it has nothing.
func (s *shopper) device() string {
	var id [8]byte
	switch {
	case s.pass != nil:
		id = s.pass.ID
	case s.ticket != nil:
		id = s.ticket.ID
	default:
		return ""
	}
	if s.kept.name != "" && s.kept.id == id {
		return s.kept.name
	}
	return string(queueing.AppendAccount(nil, id))
}

// payer is whom limits count a request of this shopper for.
func (s *shopper) payer(addr netip.Addr) payer {
	p := payer{addr: addr, device: s.device(), account: s.account}
	if p.account == p.device {
		p.account = "" // the storefront names none
	}
	return p
}

// number is the one that ticket or pass carries.
func (s *shopper) number() (n queueing.Number, ok bool) {
	switch {
	case s.ticket != nil:
		return s.ticket.Number, true
	case s.pass != nil:
		return s.pass.Number, true
	default:
		return n, false
	}
}
