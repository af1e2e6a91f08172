package proxy

import (
	"net/http"

	"github.com/waitroom/waitroom/static"
)

// joined marks the address to which a shopper is sent right after getting a
// ticket there: who arrives without it keeps no cookies.
const joined = "joined"

func linePath(sale string) string { return prefix + sale + "/line" }

// linePage is GET …/line: the page for wherever this shopper stands. Opening it
// while the sale takes entries is a way to join; loading it ahead is not, and a
// browser shows no page that was refused it.
func (v *visit) linePage() answer {
	if v.shopper.ticket != nil || v.shopper.pass != nil || !v.joinsByOpening() {
		return v.line()
	}
	if v.r.URL.RawQuery == joined {
		return problem(http.StatusOK, "cookies_needed", static.CookiesNeeded)
	}
	if v.isAsked() {
		return v.provePage(http.StatusOK)
	}
	a := v.unpressed(v.ticket(http.StatusSeeOther))
	if a.status == http.StatusSeeOther {
		a.location = linePath(v.door.sale.ID) + "?" + joined
	}
	return a
}

func (v *visit) joinsByOpening() bool {
	return (v.board.state == stateDoors || v.board.state == stateOpen) && v.r.Method == http.MethodGet && wantsPage(v.r) && !isRobot(v.r)
}

// line says where a shopper stands, as a page or as `me`.
func (v *visit) line() answer {
	note := v.note()
	m := v.stand(note)
	view := v.view(m)
	if note != nil {
		v.showOrder(&view, note.Reservation)
		if !note.PayBefore.IsZero() {
			view.PayIn = note.PayBefore.Sub(v.board.now())
		}
	}
	page := pageFor(v.board, m, note)
	if page == static.Turn {
		v.recall(&view)
	}
	if page == static.Waiting && v.r.URL.RawQuery == static.Told {
		page = static.Chance
	}
	return answer{status: http.StatusOK, decision: "line_" + m.State, body: m, page: page, view: view}
}
