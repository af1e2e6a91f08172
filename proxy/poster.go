package proxy

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

const (
	posterWanted = time.Minute      // a page nobody asked for in so long is not refreshed
	posterWarm   = 10 * time.Minute // before the doors, a page is fetched unasked
)

// poster is a sale's product page, the same for everybody, whatever the query.
// It is fetched without cookies, one fetch at a time, and refreshed by the
// ticker; nobody waits for the origin but whoever finds no page.
type poster struct {
	origin *origin
	path   string
	host   string    // under which it is fetched: never what a client says
	warm   time.Time // from then on it is kept without being asked for
	until  time.Time

	*shown
	flight     flight
	refreshing atomic.Bool
}

// shown is what is known of a page. Reloads of the configuration pass it on.
type shown struct {
	sheet   atomic.Pointer[sheet]
	asked   atomic.Int64 // Unix nanoseconds
	private atomic.Int64 // Unix nanoseconds until which it is passed through
	retry   atomic.Int64 // Unix nanoseconds before which it is not fetched
}

// newPoster makes the poster of a sale. One that showed the same page before, if
// there was one, hands on what it knows.
func newPoster(o *origin, sale *configs.Sale, last *poster) *poster {
	p := &poster{
		origin: o, path: sale.Product, host: o.host,
		warm: sale.Doors.Add(-posterWarm), until: sale.Closes,
		shown: &shown{},
	}
	if domains := o.house.cfg.TLS.Domains; len(domains) > 0 {
		p.host = domains[0]
	}
	if last != nil && last.path == p.path && last.host == p.host && last.origin.pool == o.pool {
		p.shown = last.shown
	}
	return p
}

// serve gives the page from memory; without one it is fetched first, and a page
// that is not for everybody is passed through.
func (p *poster) serve(w http.ResponseWriter, r *http.Request, rec *record) {
	now := time.Now()
	p.asked.Store(now.UnixNano())
	s, err := p.current(r.Context(), now)
	switch {
	case err == nil:
		rec.decision = "page"
		s.serve(w, r, now)
	case errors.Is(err, errNotForAll):
		rec.decision = "page_private"
		p.origin.serve(w, r, rec, nil)
	case r.Context().Err() != nil:
		rec.gone(w)
	default:
		rec.err = err
		rec.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
	}
}

// current is the page to show, stale or not. It fails with errNotForAll, or as
// fetch does.
func (p *poster) current(ctx context.Context, now time.Time) (*sheet, error) {
	if now.UnixNano() < p.private.Load() {
		return nil, errNotForAll
	}
	if s := p.sheet.Load(); s != nil && !s.useless(now) {
		return s, nil
	}
	// What is under way goes on when this shopper leaves: the next one wants it.
	return p.flight.do(ctx, func() (*sheet, error) { return p.fetch(context.WithoutCancel(ctx)) })
}

// due reports whether the ticker should refresh the page.
func (p *poster) due(now time.Time) bool {
	if now.UnixNano() < max(p.retry.Load(), p.private.Load()) {
		return false
	}
	wanted := now.Sub(time.Unix(0, p.asked.Load())) < posterWanted
	warm := now.After(p.warm) && now.Before(p.until)
	s := p.sheet.Load()
	return (wanted || warm) && (s == nil || s.stale(now))
}

// refresh fetches the page anew, unless somebody does already.
func (p *poster) refresh(ctx context.Context) error {
	_, err := p.flight.do(ctx, func() (*sheet, error) { return p.fetch(ctx) })
	return err
}

// forget drops the page: it is fetched again when it is next asked for.
func (p *poster) forget() {
	p.sheet.Store(nil)
	p.private.Store(0)
	p.retry.Store(0)
}
