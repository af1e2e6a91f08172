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
}

// serveOwn answers what is under our own prefix.
func (h *house) serveOwn(w http.ResponseWriter, r *http.Request, rec *record, want want) {
	d := h.doors[want.sale.ID]
	b := d.board.Load()
	methods := allowed[want.part]
	switch {
	case methods == nil:
		rec.end(w, r, problem(http.StatusNotFound, "not_found", static.NotFound))
		return
	case !slices.Contains(methods, r.Method):
		w.Header().Set("Allow", strings.Join(methods, ", "))
		rec.end(w, r, problem(http.StatusMethodNotAllowed, "method", static.BadRequest))
		return
	case b == nil:
		rec.end(w, r, paused().about(d, nil))
		return
	}
	s := h.shopper(r, d, b.now())
	if no := h.limits.request(s.device(), h.trust.client(r), time.Now()); no != nil {
		rec.end(w, r, h.slowDown(*no).about(d, b))
		return
	}
	switch want.part {
	case "status":
		rec.decision = "status"
		b.status.serve(w, r)
	case "me":
		rec.end(w, r, h.me(r, d, b, s))
	case "line":
		rec.end(w, r, h.linePage(r, d, b, s))
	case "order":
		rec.end(w, r, h.order(r, d, b, s))
	case "ticket":
		rec.end(w, r, h.join(r, d, b, s))
	case "pass":
		rec.end(w, r, h.givePass(r, d, b, s))
	}
}
