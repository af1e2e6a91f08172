package proxy

import (
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/static"
)

// overloaded is for requests that are more than may be answered at once.
var overloaded = func() answer {
	a := problem(http.StatusServiceUnavailable, "overloaded", static.OriginAway)
	a.retry = 2 * time.Second
	return a
}()

// overload refuses a request unseen. Its connection stays: a new one would cost more
// than the answer.
func (e *Edge) overload(w http.ResponseWriter, r *http.Request) {
	e.guarded(w, r, func(w http.ResponseWriter, rec *record) {
		rec.unread = true
		h, a := e.house.Load(), overloaded
		rec.offered, rec.brand, a.ready = h.cfg.Languages, h.brands.House, h.ready
		rec.end(w, r, a)
	})
}

// crowdedPoll is when who found no place at the origin asks again.
const crowdedPoll = 3 * time.Second

// noPlace answers who found none.
func noPlace(r *http.Request, class places.Class) answer {
	a := problem(http.StatusServiceUnavailable, "crowded", static.Crowded)
	a.reason, a.retry = class.String(), spread(crowdedPoll)
	if r.Method == http.MethodGet {
		a.view.Refresh = a.retry // a form must not be posted again unasked, nor asked for
	}
	return a
}
