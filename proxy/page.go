package proxy

import (
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

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
	if b.line.Overdue() && m.HasNumber && (m.State == meLottery || m.State == meWaiting) {
		if m.Behind || m.Number >= b.line.DrawnCount {
			return static.Late
		}
		return static.Overdue
	}
	if m.Behind && !m.HasPlace && (m.State == meLottery || m.State == meWaiting) {
		return static.Behind
	}
	if m.Invited && (m.State == meLottery || m.State == meNone) {
		return static.Invited
	}
	switch m.State {
	case meLottery:
		return static.Lottery
	case meWaiting:
		return inLine(m, b.line.Closes.Sub(b.now()))
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

// nearly is how long before their turn, at the latest, people are nearly there. The
// page's script goes by the same minute.
const nearly = time.Minute

// inLine is the page of who waits for their turn: near, unless that is only because
// all closes so soon.
func inLine(m me, closes time.Duration) static.Page {
	if high := m.standing.High; 0 < high && high <= nearly && high < closes {
		return static.Near
	}
	return static.Waiting
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

// view fills in what a page may say about the sale and the shopper. Without a
// board it says less.
func (v *visit) view(m me) static.View {
	s := v.door.sale
	view := static.View{
		Sale: s.ID, Title: s.Title, Brand: v.door.brand, Offered: v.door.offered,
		ProductPage: s.Product, BuyMethod: s.Buy.Method, BuyPath: s.Buy.Path,
		DoorsAt: v.moment(s.Doors), OpensAt: v.moment(s.Opens), Mix: s.Mix,
		Low: m.standing.Low, High: m.standing.High,
		Host: v.house.names.of(v.q.host), Refresh: m.poll, Brief: s.MatchStock,
	}
	if b := v.board; b != nil {
		view.Message, view.Entered = b.line.Message, b.line.Entered
		view.StockLeft, view.StockHeld = b.gate.Offered(), heldIn(b.gate)
		view.Drawn, view.Overdue = b.line.DrawnCount, b.line.Overdue()
		view.Doors, view.Opens = max(0, s.Doors.Sub(b.now())), max(0, s.Opens.Sub(b.now()))
		view.Closes = max(0, s.Closes.Sub(b.now()))
		if p := v.shopper.pass; p != nil && s.MatchStock {
			view.Act = max(0, p.Expires.Sub(b.now()))
		}
	}
	if m.HasNumber {
		view.HasNumber, view.Number, view.Behind = true, m.Number, m.Behind
	}
	if m.HasPlace {
		view.HasPlace, view.Place, view.Ahead = true, m.Place, m.Ahead
	}
	view.Odds = m.Odds
	if m.HasLeft {
		view.StockLeft, view.StockHeld = m.Left, m.Held
	}
	return view
}

// showOrder adds a reservation and the way to its checkout.
func (v *visit) showOrder(view *static.View, reservation string) {
	view.Reservation, view.Checkout = reservation, v.checkout(reservation)
}

// moment is an instant of the sale as its page tells it.
func (v *visit) moment(at time.Time) static.Moment {
	now := time.Now()
	if v.board != nil {
		now = v.board.now()
	}
	return static.NewMoment(at, now, v.door.sale.Zone)
}
