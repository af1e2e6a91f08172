package proxy

import (
	"net/http"

	"github.com/waitroom/waitroom/gate"
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
	if !v.joinsNow() {
		return v.line(v.note())
	}
	if v.q.query == joined {
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

// lineAtOnce is linePage for all to whom nothing is given by opening it, and who have
// nothing.
func (v *visit) lineAtOnce() (answer, bool) {
	if v.joinsNow() || v.mayHave() {
		return answer{}, false
	}
	return v.line(nil), true
}

// joinsNow reports whether the shopper joins by opening the page.
func (v *visit) joinsNow() bool {
	return v.shopper.ticket == nil && v.shopper.pass == nil && v.joinsByOpening()
}

func (v *visit) joinsByOpening() bool {
	return (v.board.state == stateDoors || v.board.state == stateOpen) && v.q.method == http.MethodGet && v.q.wantsPage() && !v.q.isRobot()
}

// line says where a shopper stands, as a page or as `me`; note as for board.stand.
func (v *visit) line(note *gate.Note) answer {
	m := v.stand(note)
	if !v.q.wantsPage() {
		return answer{status: http.StatusOK, decision: lineDecision[m.State], body: v.said(m)}
	}
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
	if page == static.Waiting && v.q.query == static.Told {
		page = static.Chance
	}
	return answer{status: http.StatusOK, decision: lineDecision[m.State], body: v.said(m), page: page, view: view, common: note == nil && v.shopper.device() == ""}
}

// lineDecision is what line is called in records, by the state that it tells.
var lineDecision = func() map[string]string {
	all := map[string]string{}
	for _, state := range []string{meNone, meLottery, meWaiting, meCalled, meAdmitted, meHopeless, meSoldOut, meHeld, mePaused, meEnded} {
		all[state] = "line_" + state
	}
	return all
}()
