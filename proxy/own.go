package proxy

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/static"
)

// allowed are the methods that each part of our own prefix takes.
var allowed = map[string][]string{
	"status": {http.MethodGet, http.MethodHead},
	"me":     {http.MethodGet, http.MethodHead},
	"line":   {http.MethodGet, http.MethodHead},
	"order":  {http.MethodGet, http.MethodHead},
	"ticket": {http.MethodPost},
	"pass":   {http.MethodPost},
	"invite": {http.MethodGet, http.MethodHead},
}

// serveOwn answers what is under our own prefix.
func (h *house) serveOwn(w http.ResponseWriter, r *http.Request, rec *record, want want) {
	v := h.visit(r, h.doors[want.sale.ID])
	methods := allowed[want.part]
	switch {
	case methods == nil, want.part == "invite" && want.sale.Invitations == 0:
		rec.end(w, r, problem(http.StatusNotFound, "not_found", static.NotFound))
		return
	case !slices.Contains(methods, r.Method):
		rec.end(w, r, methodNotAllowed(strings.Join(methods, ", ")))
		return
	case v.board == nil:
		rec.end(w, r, v.paused())
		return
	}
	if over := h.limits.request(v.shopper.device(), v.address(), time.Now()); over != nil {
		rec.end(w, r, v.about(slowDown(*over)))
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
		rec.end(w, r, v.join())
	case "pass":
		rec.end(w, r, v.givePass())
	case "invite":
		rec.end(w, r, v.invite())
	}
}
