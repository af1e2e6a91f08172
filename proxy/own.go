package proxy

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/static"
)

var (
	gets  = []string{http.MethodGet, http.MethodHead}
	posts = []string{http.MethodPost}

	// saleParts and roomParts are what is under our own prefix about a sale and
	// about a room, with the methods that each part takes.
	saleParts = map[string][]string{
		"status": gets, "me": gets, "line": gets, "order": gets, "invite": gets, "ticket": posts, "pass": posts,
		"challenge": gets, "door": gets,
		leftPart: gets,
	}
	roomParts = map[string][]string{"status": gets, "me": gets, "line": gets, "ticket": posts, "pass": posts}
)

// screen gives the answer to a request under our own prefix whose part is not
// there or takes other methods, or that is one too many; nil lets it on. The shared
// status is the same for everybody, so who asks for it is not counted.
func (h *house) screen(r *http.Request, part string, methods []string, p payer) *answer {
	no := problem(http.StatusNotFound, "not_found", static.NotFound)
	switch {
	case methods == nil:
	case !slices.Contains(methods, r.Method):
		no = methodNotAllowed(strings.Join(methods, ", "))
	case part == "status":
		return nil
	default:
		over := h.limits.request(p, time.Now())
		if over == nil {
			return nil
		}
		no = slowDown(*over)
	}
	return &no
}

// serveOwn answers what is under our own prefix about a sale.
func (h *house) serveOwn(w http.ResponseWriter, r *http.Request, rec *record, want want) {
	methods := saleParts[want.part]
	if want.part == leftPart && slices.Contains(methods, r.Method) {
		rec.decision = "left"
		serveLeft(w, r)
		return
	}
	v := h.visit(r, h.doors[want.sale.ID])
	switch want.part {
	case "invite":
		if want.sale.Invitations == 0 {
			methods = nil
		}
	case "challenge":
		if !h.doorman.asks() {
			methods = nil
		}
	case "door":
		if !h.sorts() {
			methods = nil
		}
	}
	if no := h.screen(r, want.part, methods, v.payer()); no != nil {
		rec.end(w, r, v.about(*no))
		return
	}
	if v.board == nil {
		rec.end(w, r, v.paused())
		return
	}
	switch want.part {
	case "status":
		rec.decision = "status"
		v.board.status.serve(w, r)
	case "me":
		rec.end(w, r, v.me())
	case "line":
		rec.end(w, r, v.linePage())
	case "order":
		rec.end(w, r, v.order())
	case "ticket":
		rec.end(w, r, v.join().toLine(r, want.sale.ID))
	case "pass":
		rec.end(w, r, v.givePass().toLine(r, want.sale.ID))
	case "invite":
		rec.end(w, r, v.invite())
	case "challenge":
		rec.end(w, r, v.challenge())
	case "door":
		rec.end(w, r, v.doorPage())
	}
}
