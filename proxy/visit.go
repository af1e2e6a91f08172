package proxy

import (
	"net/http"
	"net/netip"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

// visit is one request about one sale: who asks, at which door, and what this
// edge knew of the sale when the request came. It lives as long as the request.
type visit struct {
	house   *house
	r       *http.Request // nil on the express lane: there is no body, and nobody to wait for
	q       *question
	door    *door
	board   *board // nil before the first tick: then nothing but paused is said
	shopper shopper

	elsewhere bool // a page that may not speak for its shopper has sent it

	// Of a buy, as far as it is known by now.
	asksFor *ask   // nil: not read, or not understood
	got     string // the reservation that it got

	told me // what the answer says
}

// visit begins one, in the place of the last that was there.
func (v *visit) begin(h *house, r *http.Request, q *question, d *door) {
	*v = visit{house: h, r: r, q: q, door: d, board: d.board.Load()}
	if v.board != nil {
		v.shopper.read(h, q, v.board)
	}
	v.elsewhere = h.fromElsewhere(q, v.shopper.device() != "")
}

func (v *visit) blind() bool { return v.board == nil }
func (v *visit) id() string  { return v.door.sale.ID }

// address is the one that limits count.
func (v *visit) address() netip.Addr { return v.house.trust.client(v.q) }

// payer is whom limits count the request for.
func (v *visit) payer() payer { return v.shopper.payer(v.address()) }

// stand says where the shopper stands; note as for board.stand.
func (v *visit) stand(note *gate.Note) me {
	s := &v.shopper
	if v.used() && note != nil && !holds(note.Status) {
		turn := v.shopper
		s, turn.pass = &turn, nil // its turn is what is left
	}
	return v.board.stand(s, v.nothingLeft(), note)
}

// nothingLeft reports whether there is nothing to be had now.
func (v *visit) nothingLeft() bool { return v.door.nothingLeft(v.board) }

// about gives an answer's page the sale that it is about, and renews the page
// when asking again makes sense: at the line, for a reload would post once more.
func (v *visit) about(a answer) answer {
	if a.ready = v.house.ready; v.q.wantsPage() {
		a.view = v.view(me{poll: a.retry})
	}
	return a
}

// problem is a bare code, with a page about the sale.
func (v *visit) problem(status int, code string, page static.Page) answer {
	return v.about(problem(status, code, page))
}
