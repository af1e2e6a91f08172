package proxy

import (
	"net/http"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

// joined marks the address to which a shopper is sent right after getting a
// ticket there: who arrives without it keeps no cookies.
const joined = "joined"

func linePath(sale string) string { return prefix + sale + "/line" }

// linePage is GET …/line: the page for wherever this shopper stands. Opening it
// while the sale takes entries is a way to join.
func (h *house) linePage(r *http.Request, d *door, b *board, s shopper) answer {
	if s.ticket == nil && s.pass == nil && h.joinsByOpening(r, b) {
		if r.URL.RawQuery == joined {
			return problem(http.StatusOK, "cookies_needed", static.CookiesNeeded)
		}
		a := h.ticket(r, d, b, s, http.StatusSeeOther)
		if a.status == http.StatusSeeOther {
			a.location = linePath(d.sale.ID) + "?" + joined
		}
		return a
	}
	return h.line(r, d, b, s, http.StatusOK)
}

func (h *house) joinsByOpening(r *http.Request, b *board) bool {
	return (b.state == stateDoors || b.state == stateOpen) &&
		r.Method == http.MethodGet && wantsPage(r) && !speculative(r)
}

// line says where a shopper stands, as a page or as `me`.
func (h *house) line(r *http.Request, d *door, b *board, s shopper, status int) answer {
	note := h.note(r.Context(), d, s)
	m := b.stand(s, d.soldOut(b), note)
	v := d.view(b, m)
	if note != nil {
		v.Reservation, v.Checkout = note.Reservation, d.sale.CheckoutFor(note.Reservation)
		if !note.PayBefore.IsZero() {
			v.PayIn = note.PayBefore.Sub(b.now())
		}
	}
	return answer{status: status, decision: "line_" + m.State, body: m, page: pageFor(b, m, note), view: v}
}

// pageFor is the table from where a shopper stands to the page that says so.
func pageFor(b *board, m me, note *gate.Note) static.Page {
	if note != nil {
		switch note.Status {
		case gate.Finishing:
			return static.Finishing
		case gate.Held:
			return static.Held
		case gate.Paid:
			return static.Paid
		case gate.Refused:
			return static.Refused
		case gate.RefundDue:
			return static.RefundDue
		case gate.Expired, gate.Cancelled:
			if m.State != meAdmitted {
				return static.Expired
			}
		}
	}
	switch m.State {
	case meLottery:
		return static.Lottery
	case meWaiting:
		return static.Waiting
	case meCalled, meAdmitted:
		return static.Turn
	case meHopeless:
		return static.Hopeless
	case meSoldOut, meEnded:
		return endPage(b)
	case mePaused:
		return static.Paused
	default:
		return static.Doors
	}
}

func endPage(b *board) static.Page {
	switch b.state {
	case stateSoldOut:
		return static.SoldOut
	case stateEnded:
		return static.Ended
	default:
		return static.AllHeld
	}
}

// view fills in what a page may say about a sale and a shopper. Without a board,
// nil, it says less.
func (d *door) view(b *board, m me) static.View {
	s := d.sale
	v := static.View{
		Sale: s.ID, Title: s.Title,
		ProductPage: s.Product, BuyMethod: s.Buy.Method, BuyPath: s.Buy.Path,
		DoorsAt: wallClock(s, s.Doors), OpensAt: wallClock(s, s.Opens),
		Low: m.standing.Low, High: m.standing.High,
		Refresh: m.poll,
	}
	if b != nil {
		v.Message, v.Entered, v.StockLeft = b.line.Message, b.line.Entered, b.gate.Left
		v.Doors, v.Opens = max(0, s.Doors.Sub(b.now())), max(0, s.Opens.Sub(b.now()))
	}
	if m.Number != nil {
		v.Number = *m.Number
	}
	if m.Place != nil {
		v.HasPlace, v.Place, v.Ahead = true, *m.Place, *m.Ahead
	}
	return v
}

func wallClock(s *configs.Sale, t time.Time) string {
	return t.In(s.Zone).Format("15:04") + " (" + s.Zone.String() + ")"
}
