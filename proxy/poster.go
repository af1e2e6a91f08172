package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

const (
	posterBytes  = 8 << 20          // a larger page is passed through
	posterWanted = time.Minute      // a page nobody asked for in so long is not refreshed
	posterWarm   = 10 * time.Minute // before the doors, a page is fetched unasked
	posterWait   = 20 * time.Second
	posterRetry  = time.Second // between fetches that fail
)

// errNotForAll is a page that must not be shown to everybody.
var errNotForAll = errors.New("product page is not for everybody")

// poster is a sale's product page, the same for everybody, whatever the query.
// It is fetched without cookies, one fetch at a time, and refreshed in the
// background; nobody waits for the origin but whoever comes first.
type poster struct {
	origin *origin
	path   string
	host   string    // under which it is fetched: never what a client says
	warm   time.Time // from then on it is kept without being asked for
	until  time.Time

	*shown
	flight     singleflight.Group
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
		origin: o, path: sale.Product, host: o.url.Host,
		warm: sale.Doors.Add(-posterWarm), until: sale.Closes,
		shown: &shown{},
	}
	if domains := o.house.cfg.TLS.Domains; len(domains) > 0 {
		p.host = domains[0]
	}
	if last != nil && last.path == p.path && last.host == p.host && last.origin.url.String() == o.url.String() {
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
		p.origin.serve(w, r, rec)
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
	return p.fetch(ctx)
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

// fetch gets the page anew, one fetch at a time; it goes on when its first
// caller leaves.
func (p *poster) fetch(ctx context.Context) (*sheet, error) {
	done := p.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), posterWait)
		defer cancel()
		s, err := p.get(ctx)
		switch {
		case errors.Is(err, errNotForAll):
			p.private.Store(time.Now().Add(posterFresh).UnixNano())
			p.sheet.Store(nil)
		case err != nil:
			p.retry.Store(time.Now().Add(posterRetry).UnixNano())
		default:
			p.sheet.Store(s)
		}
		return s, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-done:
		s, _ := got.Val.(*sheet)
		return s, got.Err
	}
}

func (p *poster) get(ctx context.Context) (*sheet, error) {
	address := p.origin.url.Scheme + "://" + p.origin.url.Host + p.path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	req.Host = p.host
	for name, value := range map[string]string{
		"Accept": "text/html,*/*;q=0.8", "User-Agent": "waitroom",
		"X-Forwarded-Proto": "https", "X-Forwarded-Host": p.host,
	} {
		req.Header.Set(name, value)
	}
	resp, err := p.origin.next.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if overloaded(resp.StatusCode) {
		return nil, fmt.Errorf("fetch product page: origin answered %d", resp.StatusCode)
	}
	fresh, ok := lifetime(resp.Header)
	if resp.StatusCode != http.StatusOK || !ok {
		return nil, errNotForAll
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, posterBytes+1))
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	if len(body) > posterBytes {
		return nil, errNotForAll
	}
	return newSheet(resp.Header, body, fresh), nil
}

// overloaded reports whether an answer is about the origin and not about the
// page: then what is there serves on, for a crowd that is passed through would
// make it worse.
func overloaded(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}
