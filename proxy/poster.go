package proxy

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/static"
)

const (
	posterWanted = time.Minute      // a page nobody asked for in so long is not refreshed
	posterWarm   = 10 * time.Minute // before the doors, a page is fetched unasked
	assetsEvery  = 5 * time.Second  // what belongs to a page is looked at
	assetsWait   = 20 * time.Second // for all of it
)

// poster is a sale's product page, the same for everybody, whatever the query.
// It is fetched without cookies, one fetch at a time, and refreshed by the
// ticker; nobody waits for the origin but whoever finds no page.
type poster struct {
	way   *way
	path  string
	hosts []string  // under which it is asked for, the first for all: never what a client says
	warm  time.Time // from then on it is kept without being asked for
	until time.Time

	*shown
	refreshing atomic.Bool
}

// shown is what is known of a page. Reloads of the configuration pass it on.
type shown struct {
	page    *cache.Page
	asked   atomic.Int64           // Unix nanoseconds
	dressed atomic.Int64           // Unix nanoseconds when its assets were last looked at
	laid    atomic.Pointer[[]laid] // the newest first
	refused atomic.Bool            // it was said in the log that the page is not for everybody
}

// newPoster makes the poster of a sale. One that showed the same page before, if
// there was one, hands on what it knows.
func newPoster(o *way, sale *configs.Sale, last *poster) *poster {
	p := &poster{
		way: o, path: sale.Product, hosts: shopHosts(o.house.cfg, o.host),
		warm: sale.Doors.Add(-posterWarm), until: sale.Closes,
	}
	if last != nil && last.path == p.path && slices.Equal(last.hosts, p.hosts) && last.way.pool == o.pool {
		p.shown = last.shown
	} else {
		p.shown = &shown{page: o.house.cache.Page()}
	}
	return p
}

// shopHosts are what browsers write for the shop. One that listens at a port of its
// own may be reached there, or by way of the usual one: what is kept for one is not
// given for the other, for an origin may write the port into its links.
func shopHosts(cfg *configs.Config, otherwise string) []string {
	i := slices.IndexFunc(cfg.TLS.Domains, func(d string) bool { return !strings.HasPrefix(d, "*") })
	if i < 0 {
		return []string{otherwise}
	}
	return spelled(cfg.TLS.Domains[i], cfg.Listen.HTTPS)
}

// serve gives the page from memory; without one it is fetched first. A page that is
// not for everybody is a request like any other.
func (p *poster) serve(w http.ResponseWriter, r *http.Request, rec *record, want want) {
	p.asked.Store(time.Now().UnixNano())
	switch err := p.page.Serve(w, r, p.fetch); {
	case err == nil:
		rec.decision = "page"
	case errors.Is(err, cache.ErrNotForAll):
		p.way.house.forward(w, r, rec, want, nil)
	case r.Context().Err() != nil:
		rec.gone(w)
	case errors.Is(err, places.ErrFull):
		rec.end(w, r, noPlace(rec.q, places.Holding))
	default:
		rec.err = err
		rec.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
	}
}

// decide gives the page from memory, if it lies there.
func (p *poster) decide(s *hearing, now time.Time) bool {
	p.asked.Store(now.UnixNano())
	q := &s.q
	in := cache.Asked{
		Method: q.method, AcceptEncoding: q.lines("Accept-Encoding"), CacheControl: q.lines("Cache-Control"),
		IfNoneMatch: q.lines("If-None-Match"), IfModifiedSince: q.lines("If-Modified-Since"), Range: q.lines("Range"),
	}
	shown, ok := p.page.Look(&in, now)
	if ok {
		s.shown = shown
	}
	return ok && s.lie(p.lay(&shown), "page")
}

// mostLaid is in how many forms a page lies ready: in each coding, and for who has it.
const mostLaid = 16

// laid is a page as it goes out.
type laid struct {
	cache.Shown
	lies *lying
}

// lay gives what is shown as it goes out. It is the same for a second, which is how the
// age of a page is told.
func (p *poster) lay(shown *cache.Shown) *lying {
	known := p.laid.Load()
	if known != nil {
		for i := range *known {
			if (*known)[i].Same(shown) {
				return (*known)[i].lies
			}
		}
	}
	var fields []field
	header := shown.Header()
	if len(shown.Body) > 0 && header["Content-Type"] == nil && header["Content-Encoding"] == nil { // as net/http says
		header["Content-Type"] = []string{http.DetectContentType(shown.Body)}
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			fields = append(fields, field{name, value})
		}
	}
	one := laid{*shown, lay(shown.Status, shown.Body, fields...)}
	all := []laid{one}
	if known != nil && len(*known) < mostLaid && (*known)[0].At(shown) {
		all = append(all, *known...)
	}
	p.laid.Store(&all)
	return one.lies
}

// due reports whether the ticker should refresh the page.
func (p *poster) due(now time.Time) bool {
	wanted := now.Sub(time.Unix(0, p.asked.Load())) < posterWanted
	warm := now.After(p.warm) && now.Before(p.until)
	return (wanted || warm) && (p.page.Due(now) || p.undressed(now))
}

// undressed reports whether it is time to look at what belongs to the page.
func (p *poster) undressed(now time.Time) bool {
	return p.page.Body() != nil && now.Sub(time.Unix(0, p.dressed.Load())) >= assetsEvery
}

// refresh fetches the page anew if that is due, unless somebody does already, and
// what belongs to it.
func (p *poster) refresh(ctx context.Context) error {
	if p.page.Due(time.Now()) {
		if err := p.page.Refresh(ctx, p.fetch); err != nil {
			return err
		}
	}
	p.refused.Store(false)
	if p.undressed(time.Now()) {
		p.dress(ctx)
		p.dressed.Store(time.Now().UnixNano())
	}
	return nil
}

// asBrowsersAccept are what browsers say that they can unpack: an origin that packs
// by itself keeps an answer for each.
var asBrowsersAccept = []string{"gzip, deflate, br, zstd", "gzip, deflate, br"}

// dress asks for what belongs to the page, through the cache, which keeps what says
// that it may be kept. What fails is asked for again later, by browsers if need be.
func (p *poster) dress(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, assetsWait)
	defer cancel()
	for _, target := range assets(p.page.Body(), p.hosts[0], p.path) {
		for _, host := range p.hosts {
			for _, accept := range asBrowsersAccept {
				p.warmUp(ctx, host, target, accept)
			}
		}
	}
}

func (p *poster) warmUp(ctx context.Context, host, target, accept string) {
	req, err := p.request(ctx, host, target)
	if err != nil {
		return
	}
	req.Header.Set("Accept-Encoding", accept)
	_ = p.way.house.cache.Warm(p.way.usher, req) // the first browser asks again
}

// fetch asks the origin for the page, as nobody in particular. prepare may make
// it a question for news alone.
func (p *poster) fetch(ctx context.Context, prepare func(http.Header)) (*http.Response, error) {
	req, err := p.request(ctx, p.hosts[0], p.path)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	prepare(req.Header)
	return p.way.usher.RoundTrip(req)
}

// request asks for a target of the shop, as nobody in particular.
func (p *poster) request(ctx context.Context, host, target string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+p.way.host+target, nil)
	if err != nil {
		return nil, err
	}
	req.Host = host
	req.Header.Set("User-Agent", "waitroom")
	req.Header.Set("X-Forwarded-Proto", "https")
	req.Header.Set("X-Forwarded-Host", host)
	return req, nil
}

// forget drops the page: it is fetched again when it is next asked for.
func (p *poster) forget() { p.page.Forget() }
