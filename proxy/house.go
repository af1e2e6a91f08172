package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/kept"
	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// house is the whole edge under one configuration: for each sale a door, through
// which its shoppers go, and a poster, which everybody sees; the rooms; the rules
// for all of them; and the way past them to the origin. It never changes: a reload
// builds another one, into which what did not change moves, and swaps the pointer.
type house struct {
	cfg      *configs.Config
	log      *zap.Logger
	metrics  *metrics
	keyring  *queueing.Keyring
	identity *identity
	trust    trust
	limits   *limits
	ready    *ready
	doorman  *doorman
	forms    *kept.Sealer
	hosts    hosts
	brands   *Brands
	routes   *routes
	doors    map[string]*door   // by sale ID
	posters  map[string]*poster // by sale ID
	rooms    map[string]*room   // by room ID
	way      *way
	tunnels  *tunnels // of the edge
	cache    *cache.Cache
}

func newHouse(cfg *configs.Config, last *house, rdb redis.UniversalClient, m *metrics, ts *tunnels, store *cache.Cache, log *zap.Logger) (*house, error) {
	keyring, err := queueing.NewKeyring(cfg.Secrets)
	if err != nil {
		return nil, err
	}
	id, err := newIdentity(cfg.Identity)
	if err != nil {
		return nil, err
	}
	h := &house{
		cfg: cfg, log: log, metrics: m, tunnels: ts, cache: store, keyring: keyring, identity: id,
		trust: trust(cfg.TrustedProxies), limits: newLimits(cfg.Limits, last), ready: newReady(), hosts: newHosts(cfg.TLS.Domains),
		routes: newRoutes(cfg.Sales, cfg.Rooms),
		doors:  map[string]*door{}, posters: map[string]*poster{}, rooms: map[string]*room{},
	}
	if h.brands, err = NewBrands(cfg, last.wore()); err != nil {
		return nil, err
	}
	if h.doorman, err = newDoorman(cfg, last, m, log); err != nil {
		return nil, err
	}
	if h.forms, err = kept.NewSealer(cfg.Secrets); err != nil {
		return nil, err
	}
	if h.way, err = newWay(h, last); err != nil {
		return nil, err
	}
	for i := range cfg.Sales {
		h.openDoor(&cfg.Sales[i], last, rdb)
		h.hangPoster(&cfg.Sales[i], last)
	}
	for i := range cfg.Rooms {
		h.openRoom(&cfg.Rooms[i], last, rdb)
	}
	return h, nil
}

// openDoor takes a sale's door over from the last house if nothing about the
// sale has changed. A changed sale gets a new door that knows what the old one
// knew, so that nobody finds it blank.
func (h *house) openDoor(sale *configs.Sale, last *house, rdb redis.UniversalClient) {
	d := newDoor(sale, h.brands.Sales[sale.ID], rdb)
	if last != nil && last.doors[sale.ID] != nil {
		old := last.doors[sale.ID]
		switch {
		case old.sale.Same(sale):
			d = old
		case old.sale.Key == sale.Key:
			d.line = old.line.Again(sale)
			d.got = old.got
			if old.sale.Buckets == sale.Buckets {
				d.gate = old.gate
			}
			if b := old.board.Load(); b != nil {
				d.board.Store(newBoard(sale, b, b.line, b.gate, b.taken, false))
			}
		}
	}
	h.doors[sale.ID] = d
}

// openRoom takes a room over from the last house if nothing about it has changed.
// A changed one keeps its line, and what the old one knew of it.
func (h *house) openRoom(cfg *configs.Room, last *house, rdb redis.UniversalClient) {
	r := newRoom(cfg, h.brands.Rooms[cfg.ID], rdb)
	if last != nil && last.rooms[cfg.ID] != nil {
		old := last.rooms[cfg.ID]
		if old.cfg.Same(cfg) {
			r = old
		} else {
			r.line = old.line.Again(cfg)
			if p := old.placard.Load(); p != nil {
				r.placard.Store(newPlacard(cfg, nil, p.line, p.taken, p.stale))
			}
		}
	}
	h.rooms[cfg.ID] = r
}

// hangPoster puts up a sale's product page; what the last house knew of it
// stays known.
func (h *house) hangPoster(sale *configs.Sale, last *house) {
	var shown *poster
	if last != nil {
		shown = last.posters[sale.ID]
	}
	h.posters[sale.ID] = newPoster(h.way, sale, shown)
}

// serve is the life of a request: where it goes is decided here and nowhere
// else.
func (h *house) serve(w http.ResponseWriter, r *http.Request, rec *record) {
	rec.offered, rec.brand = h.cfg.Languages, h.brands.House
	if no := h.refuse(r); no != nil {
		rec.end(w, r, h.turnAway(r, *no))
		return
	}
	want := h.routes.route(r.Method, r.URL.EscapedPath(), time.Now())
	if h.preflight(w, r, rec, want) {
		return
	}
	switch want.kind {
	case wantOwn:
		rec.sale = want.sale.ID
		h.crossOrigin(w, r, want)
		h.serveOwn(w, r, rec, want)
	case wantUnclear:
		rec.end(w, r, h.turnAway(r, badRequest(errors.New("path: where it leads depends on who reads it; write it without dot segments"))))
	case wantAsset:
		h.serveAsset(w, r, rec, want.part)
	case wantLanguage:
		rec.end(w, r, h.changeLanguage(r))
	case wantNothing:
		rec.end(w, r, h.turnAway(r, problem(http.StatusNotFound, "not_found", static.NotFound)))
	case wantPage:
		rec.sale = want.sale.ID
		rec.past()
		h.posters[want.sale.ID].serve(w, r, rec, want)
	case wantBuy:
		rec.sale = want.sale.ID
		h.crossOrigin(w, r, want)
		rec.end(w, r, h.visit(r, h.doors[want.sale.ID]).buy())
	case wantRoomOwn:
		rec.sale = want.room.ID
		h.crossOrigin(w, r, want)
		h.serveRoomOwn(w, r, rec, want)
	case wantRoom:
		rec.sale = want.room.ID
		h.forward(w, r, rec, want, h.guest(r, h.rooms[want.room.ID]))
	case wantPast:
		h.guest(r, h.rooms[want.room.ID]) // who shows a pass keeps the seat
		h.forward(w, r, rec, want, nil)
	default:
		h.forward(w, r, rec, want, nil)
	}
}

// refuse gives the answer to a request that is not for us; nil if it is. A name
// in the handshake that is another of our domains than the Host belongs to a
// connection for something else (RFC 9110, 7.4).
func (h *house) refuse(r *http.Request) *answer {
	host := foldHost(r.Host)
	var no answer
	switch {
	case host == "":
		no = problem(http.StatusBadRequest, "no_host", static.BadRequest)
	case !h.hosts.serve(host),
		r.TLS != nil && h.hosts.has(foldHost(r.TLS.ServerName)) && foldHost(r.TLS.ServerName) != host:
		no = problem(http.StatusMisdirectedRequest, "unknown_host", static.NotFound)
	case r.Method == http.MethodConnect, r.Method == http.MethodTrace:
		no = methodNotAllowed("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	default:
		return nil
	}
	return &no
}

// bound is what tells how many may be at the origin at once; nil: nobody counts.
func (h *house) bound() *places.Bound { return h.way.usher.bound }

// turnAway gives a refusal that is about no sale to who has nothing to show: it counts
// as any other request, and its page lies ready.
func (h *house) turnAway(r *http.Request, no answer) answer {
	if over := h.limits.request(payer{addr: h.trust.client(r)}, time.Now()); over != nil {
		return h.tooMany(over)
	}
	no.ready = h.ready
	return no
}

// forward gives a request that belongs to no sale to the origin, past the room
// that it is a guest of; nil is nobody's guest.
func (h *house) forward(w http.ResponseWriter, r *http.Request, rec *record, want want, g *guest) {
	if over := h.limits.request(payer{addr: h.trust.client(r)}, time.Now()); over != nil {
		rec.end(w, r, h.tooMany(over))
		return
	}
	leave, over := h.limits.perAddress.enter(h.trust.client(r))
	if over != nil {
		rec.end(w, r, h.tooMany(over))
		return
	}
	defer leave()
	if no := g.enter(); no != nil {
		rec.end(w, r, *no)
		return
	}
	rec.past()
	rec.decision = "origin"
	h.way.serve(w, r, rec, want.onBuy, g)
}

// tooMany is slowDown about nothing in particular.
func (h *house) tooMany(over *excess) answer {
	a := slowDown(*over)
	a.ready = h.ready
	return a
}

// warn logs a call to the stores that failed, unless it was the shopper who
// left.
func (h *house) warn(call string, d *door, err error) { h.warnOf(call, d.sale.ID, err) }

// warnOf is warn about a sale or a room.
func (h *house) warnOf(call, id string, err error) {
	if !errors.Is(err, context.Canceled) {
		h.log.Warn(call+" failed", zap.String("sale", id), zap.Error(err))
	}
}
