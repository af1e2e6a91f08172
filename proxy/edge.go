package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// Edge is one waitroom before a shop: the handler of its public listener and the
// ticker behind it. It holds nothing that another edge could not take over.
type Edge struct {
	rdb      redis.UniversalClient
	log      *zap.Logger
	metrics  *metrics
	house    atomic.Pointer[house]
	tunnels  tunnels
	cache    *cache.Cache
	asking   asking
	counters counters
	work     sync.WaitGroup // ticks and refreshes under way; Run waits for them
}

// New builds an edge from a configuration. The Redis client must not retry by
// itself. Nothing runs and nothing is asked until Run.
func New(cfg *configs.Config, rdb redis.UniversalClient, reg prometheus.Registerer, log *zap.Logger) (*Edge, error) {
	e := &Edge{rdb: rdb, log: log.Named("proxy")}
	e.metrics = newMetrics(reg, e.sight)
	e.cache = cache.New(cfg.Cache.Size, ownFields, e.metrics.cached)
	serve, err := e.Prepare(cfg)
	if err != nil {
		return nil, err
	}
	serve()
	e.gauge(reg)
	return e, nil
}

// gauge shows what is asked for whenever metrics are read.
func (e *Edge) gauge(reg prometheus.Registerer) {
	show := func(name, help string, n func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "waitroom", Name: name, Help: help}, n))
	}
	show("cache_bytes", "Bytes that the cache holds, product pages included.",
		func() float64 { return float64(e.cache.Held()) })
	show("proof_bits", "How hard the puzzles of a proof are that is asked for now, in bits; 0: none is.",
		func() float64 { return float64(e.house.Load().doorman.bits(time.Now())) })
	for i, one := range e.house.Load().limits.all() {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "waitroom", Name: "limit_keys", Help: "Keys that a limit keeps now, those in use and a few more.",
			ConstLabels: prometheus.Labels{"limit": one.name},
		}, func() float64 { return float64(e.house.Load().limits.all()[i].buckets.Len()) }))
	}
	reg.MustRegister(e.metrics.places)
	show("origins_away", "Servers of the origin that do not answer and are passed over.",
		func() float64 { return float64(e.house.Load().way.pool.Away()) })
}

// sight is what the places at the origin are like now.
func (e *Edge) sight() places.Sight { return e.house.Load().bound().Look() }

// Prepare makes what another configuration says; what a reload may not change is the
// caller's to refuse. Nobody is served under it until serve is called, before the
// next Prepare or never. Requests under way end under the old one.
func (e *Edge) Prepare(cfg *configs.Config) (serve func(), err error) {
	last := e.house.Load()
	h, err := newHouse(cfg, last, e.rdb, e.metrics, &e.tunnels, e.cache, e.log)
	if faults, ok := errors.AsType[configs.Faults](err); ok {
		return nil, faults // they say all
	}
	if err != nil {
		return nil, fmt.Errorf("prepare configuration: %w", err)
	}
	return func() { e.turn(last, h) }, nil
}

// turn serves in another house from now on.
func (e *Edge) turn(last, h *house) {
	e.house.Store(h)
	e.cache.Resize(h.cfg.Cache.Size)
	if last == nil {
		return
	}
	e.metrics.forget(last.rooms, h.rooms)
	if last.way.pool != h.way.pool {
		e.cache.Purge("", time.Now()) // another storefront, perhaps
		last.way.pool.Close()
	}
}

// Run looks at the lines and gates ten times a second until ctx is done. After it the
// edge asks them for nothing but what a request wants.
func (e *Edge) Run(ctx context.Context) error {
	defer e.work.Wait()
	e.load(ctx)
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		e.round(ctx, time.Now())
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// RunCache keeps what is kept in order until ctx is done, when nobody is served any
// more.
func (e *Edge) RunCache(ctx context.Context) error {
	e.cache.Run(ctx)
	return nil
}

// load sends the scripts ahead. Those that do not arrive are sent when needed.
func (e *Edge) load(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tickWait)
	defer cancel()
	if err := errors.Join(gate.Load(ctx, e.rdb), queueing.Load(ctx, e.rdb)); err != nil {
		e.log.Warn("scripts not loaded yet", zap.Error(err))
	}
}

// round starts what is due: the ticks of sales and of rooms, and the refreshes of
// product pages. Whichever still waits for its last one is left out, so that a
// slow one delays no other.
func (e *Edge) round(ctx context.Context, now time.Time) {
	h := e.house.Load()
	h.limits.sweep(now)
	for _, d := range h.doors {
		if !d.due(now) || !d.ticking.CompareAndSwap(false, true) {
			continue
		}
		e.work.Go(func() {
			defer d.ticking.Store(false)
			err := d.tick(ctx)
			if err == nil {
				e.house.Load().bound().Tell(d.board.Load().now())
			}
			e.metrics.ticked(d, err)
			e.tellTick(ctx, &d.trouble, d.sale.ID, err)
			if d.beganToWait() {
				e.log.Warn("draw waits for its public value", zap.String("sale", d.sale.ID), zap.String("mix", d.sale.Mix))
			}
		})
	}
	for _, r := range h.rooms {
		if !r.ticking.CompareAndSwap(false, true) {
			continue
		}
		e.work.Go(func() {
			defer r.ticking.Store(false)
			e.tickRoom(ctx, r)
		})
	}
	for _, p := range h.posters {
		if !p.due(now) || !p.refreshing.CompareAndSwap(false, true) {
			continue
		}
		e.work.Go(func() {
			defer p.refreshing.Store(false)
			switch err := p.refresh(ctx); {
			case err == nil || ctx.Err() != nil:
			case !errors.Is(err, cache.ErrNotForAll):
				e.log.Warn("refresh product page failed", zap.String("path", p.path), zap.Error(err))
			case p.refused.CompareAndSwap(false, true):
				e.log.Warn("product page reaches the origin each time", zap.String("path", p.path), zap.Error(err))
			}
		})
	}
}

// tellTick logs what came of a tick, where that is new.
func (e *Edge) tellTick(ctx context.Context, t *trouble, sale string, err error) {
	switch {
	case ctx.Err() != nil || !t.news(err, time.Now()):
	case err != nil:
		e.log.Warn("tick failed", zap.String("sale", sale), zap.Error(err))
	default:
		e.log.Info("tick succeeds again", zap.String("sale", sale))
	}
}

// ServeHTTP is the outermost handler: one request, one answer, one record.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.guarded(w, r, func(w http.ResponseWriter, rec *record) {
		rec.past = e.asking.enter()
		defer rec.past()
		e.house.Load().serve(w, r, rec)
	})
}

// guarded serves a request and writes its record, however that ends.
func (e *Edge) guarded(rw http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *record)) {
	w := &writer{ResponseWriter: rw}
	rec := &record{begun: time.Now()}
	defer func() {
		thrown := recover()
		e.recovered(w, r, rec, thrown)
		e.note(rec, sent{r.Method, r.URL.EscapedPath(), r.Proto, w.status, w.bytes})
		if thrown == http.ErrAbortHandler { //nolint:errorlint // the very value is thrown
			panic(thrown) // the server cuts the connection
		}
	}()
	serve(w, rec)
}

// note counts a request, and writes its record.
func (e *Edge) note(rec *record, s sent) {
	e.metrics.request(rec.decision, s.status)
	if rec.decision == slowedDown {
		e.metrics.limit(rec.reason)
	}
	rec.write(e.log, s)
}

// recovered turns a panic into a 500. The standard proxy panics on purpose when
// it must cut an answer short; that is no fault of ours and is only noted.
func (e *Edge) recovered(w *writer, r *http.Request, rec *record, thrown any) {
	switch thrown {
	case nil:
		return
	case http.ErrAbortHandler:
		rec.decision = "aborted"
		return
	}
	rec.decision, rec.err = "panic", fmt.Errorf("panic: %v", thrown)
	e.log.Error("handler panicked", zap.Any("value", thrown), zap.Stack("stack"))
	if w.status == 0 {
		q := questionOf(r)
		a := problem(http.StatusInternalServerError, "panic", static.OriginAway)
		a.send(w, &q, nil)
	}
}

// Ready reports whether this edge can serve every sale: each has been looked at
// lately.
func (e *Edge) Ready() error {
	var blind []error
	for id, d := range e.house.Load().doors {
		if b := d.board.Load(); b == nil || time.Since(b.taken) > idleEvery+staleAfter {
			blind = append(blind, fmt.Errorf("sale %s: line and gate do not answer", id))
		}
	}
	return errors.Join(blind...)
}

// Selling is Ready, and fails besides while the gate of an open sale is not there yet,
// or closed.
func (e *Edge) Selling() error {
	errs := []error{e.Ready()}
	for id, d := range e.house.Load().doors {
		if b := d.board.Load(); b != nil && d.sale.InForce().Open(b.now()) && !b.gate.Open() {
			errs = append(errs, fmt.Errorf("sale %s: its gate is closed", id))
		}
	}
	return errors.Join(errs...)
}
