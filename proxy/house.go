package proxy

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/kept"
	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/proxy/stitch"
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
	common   common
	sheets   sheets
	pack     *stitch.Packer
	speech   speech
	loads    *loads
	offered  string // languages of the pages that are of no sale, with blanks between
	doorman  *doorman
	forms    *kept.Sealer
	hosts    hosts
	names    ownNames
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
		trust: trust(cfg.TrustedProxies), hosts: newHosts(cfg.TLS.Domains), names: newOwnNames(cfg), limits: newLimits(cfg.Limits, last),
		ready: newReady(), common: newCommon(), sheets: newSheets(), pack: last.packer(), loads: newLoads(),
		speech: newSpeech(), offered: strings.Join(cfg.Languages, " "),
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

// packer packs the pages of a house, and knows what the last had ready.
func (h *house) packer() *stitch.Packer {
	if h == nil {
		return stitch.NewPacker()
	}
	return h.pack
}

// serve is the life of a request: what it gets at once, or else where it goes on.
func (h *house) serve(w http.ResponseWriter, r *http.Request, rec *record) {
	s := &hearing{}
	s.q = questionOf(r)
	rec.house, rec.q = h, &s.q
	if h.decide(s, r, rec.begun) {
		rec.past()
		s.send(w, r, rec)
		return
	}
	h.goOn(w, r, rec, s)
}

// goOn is what becomes of a request that does not get its answer at once.
func (h *house) goOn(w http.ResponseWriter, r *http.Request, rec *record, s *hearing) {
	q, want := &s.q, s.want
	if s.allows != "" {
		h.preflight(w, r, rec, want, s.allows)
		return
	}
	rec.sale = want.id()
	switch want.kind {
	case wantOwn:
		h.crossOrigin(&head{header: w.Header()}, q, want)
		rec.end(w, r, goOn(s.visit, saleParts[want.part], h, q))
	case wantPage:
		rec.past()
		h.posters[want.sale.ID].serve(w, r, rec, want)
	case wantBuy:
		h.crossOrigin(&head{header: w.Header()}, q, want)
		rec.end(w, r, s.visit.buy())
	case wantRoomOwn:
		h.crossOrigin(&head{header: w.Header()}, q, want)
		rec.end(w, r, goOn(s.guest, roomParts[want.part], h, q))
	case wantLanguage:
		rec.end(w, r, h.changeLanguage(q))
	case wantRoom:
		h.forward(w, r, rec, want, h.guest(r, q, h.rooms[want.room.ID]))
	case wantPast:
		h.guest(r, q, h.rooms[want.room.ID]) // who shows a pass keeps the seat
		h.forward(w, r, rec, want, nil)
	default:
		h.forward(w, r, rec, want, nil)
	}
}

// refuse gives the answer to a request that is not for us; ok is false if it is. A name
// in the handshake that is another of our domains than the Host belongs to a
// connection for something else (RFC 9110, 7.4).
func (h *house) refuse(q *question) (no answer, ok bool) {
	host, named := foldHost(q.host), foldHost(q.named)
	switch {
	case host == "":
		return problem(http.StatusBadRequest, "no_host", static.BadRequest), true
	case !h.hosts.serve(host), named != "" && named != host && h.hosts.has(named):
		return problem(http.StatusMisdirectedRequest, "unknown_host", static.NotFound), true
	case q.method == http.MethodConnect, q.method == http.MethodTrace:
		return methodNotAllowed("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"), true
	}
	return answer{}, false
}

// bound is what tells how many may be at the origin at once; nil: nobody counts.
func (h *house) bound() *places.Bound { return h.way.usher.bound }

// forward gives a request that belongs to no sale to the origin, past the room
// that it is a guest of; nil is nobody's guest.
func (h *house) forward(w http.ResponseWriter, r *http.Request, rec *record, want want, g *guest) {
	addr := h.trust.client(rec.q)
	if over := h.limits.request(payer{addr: addr}, time.Now()); over != nil {
		rec.end(w, r, h.tooMany(over))
		return
	}
	leave, over := h.limits.perAddress.enter(addr)
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
