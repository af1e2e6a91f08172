package wiring

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/cmd/internal/survey"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/proxy/certs"
	"github.com/waitroom/waitroom/proxy/listen"
)

// Edge is the program `waitroom run`: the door, and in embedded mode the worker
// beside it.
type Edge struct {
	stores  *stores
	before  *listen.Predecessor          // nil: there was nobody
	offer   atomic.Pointer[listen.Offer] // to a successor
	sockets listen.Sockets
	edge    *proxy.Edge
	keeper  *certs.Keeper
	server  *proxy.Server
	worker  *Worker // nil: orderworker runs elsewhere
	metrics *prometheus.Registry
	said    overruled
	inForce atomic.Pointer[configs.Config]
	survey  func(context.Context) // says whether the stores are fit
	log     *zap.Logger
	closing sync.Once
}

// NewEdge opens stores and listeners, the latter those of the instance that runs on
// the same data_dir, if there is one. That one is asked for nothing before all is
// read and made that can be without the books. memory is how many bytes the program may
// take (see LimitMemory), linger how long a stopping edge still accepts requests. Close what it returns, or Run it.
func NewEdge(ctx context.Context, cfg *configs.Config, memory uint64, linger time.Duration, log *zap.Logger) (*Edge, error) {
	e := &Edge{metrics: newRegistry(), log: log.Named("edge")}
	e.survey = func(ctx context.Context) {
		if !cfg.Embedded() {
			watch(ctx, log, func(ctx context.Context) []survey.Finding { return survey.Redis(ctx, e.stores.Edge, cfg.Redis.URL) })
		}
	}
	if err := e.open(ctx, cfg, memory, linger, log); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Edge) open(ctx context.Context, cfg *configs.Config, memory uint64, linger time.Duration, log *zap.Logger) (err error) {
	if faults := cfg.Absent(); len(faults) > 0 {
		return faults
	}
	if err = e.claim(cfg); err != nil {
		return err
	}
	if e.stores, err = openStores(ctx, cfg, false); err != nil {
		return err
	}
	shared := e.stores.Edge
	if cfg.Embedded() {
		shared = nil // what lies there is gone with the program
	}
	if e.keeper, err = certs.New(cfg, shared, e.metrics, log); err != nil {
		return err
	}
	if e.edge, err = proxy.New(cfg, e.stores.Edge, e.metrics, log); err != nil {
		return err
	}
	if cfg.Embedded() {
		if e.before != nil {
			ctx = context.WithoutCancel(ctx) // who waits is nobody else's any more
		}
		if err = e.inherit(ctx, cfg); err != nil {
			return err
		}
	}
	if cfg, err = e.under(ctx, cfg); err != nil {
		return err
	}
	serve, err := e.edge.Prepare(cfg)
	if err != nil {
		return err
	}
	serve()
	if cfg.Embedded() {
		var on net.Listener // which must not hold a nil of TCP
		if socket := e.sockets.Of(keyWorker); socket != nil {
			on = socket
		}
		if e.worker, err = newWorker(cfg, e.stores, on, e.metrics, e.said, log); err != nil {
			return err
		}
	}
	e.server = proxy.NewServer(cfg, e.sockets, e.keeper, e.edge, e.edge.Admin(e.metrics, e.ready), memory, linger, log)
	return nil
}

// under is a configuration under what holds of open sales, as far as that can be
// learnt now (see Hold), and notes it.
func (e *Edge) under(ctx context.Context, cfg *configs.Config) (*configs.Config, error) {
	if cfg.Embedded() {
		held, err := underBooks(ctx, cfg, e.stores)
		if err != nil {
			return nil, err
		}
		cfg = held
	} else if terms, err := posted(ctx, e.stores.Edge, cfg); err == nil {
		cfg = cfg.Under(terms)
	}
	e.said = newOverruled(e.metrics)
	e.note(cfg)
	return cfg, nil
}

func (e *Edge) note(cfg *configs.Config) {
	e.inForce.Store(cfg)
	e.said.tell(cfg)
}

// Config is the configuration in force: of open sales what the books say, whatever
// their files do.
func (e *Edge) Config() *configs.Config { return e.inForce.Load() }

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Addr is where HTTPS is served.
func (e *Edge) Addr() net.Addr { return e.server.Addr() }

// AdminAddr is where the admin address is served; nil when it is not.
func (e *Edge) AdminAddr() net.Addr { return e.server.AdminAddr() }

// Worker is the embedded worker; nil when there is none.
func (e *Edge) Worker() *Worker { return e.worker }

// Apply puts a new configuration into force. All that can fail comes first: after an
// error everything is as it was.
func (e *Edge) Apply(cfg *configs.Config) error {
	if faults := cfg.Absent(); len(faults) > 0 {
		return faults
	}
	prove, err := e.keeper.Prepare(cfg)
	if err != nil {
		return err
	}
	serve, err := e.edge.Prepare(cfg)
	if err != nil {
		return err
	}
	prove()
	serve()
	e.server.Apply(cfg)
	e.note(cfg)
	if e.worker != nil {
		e.worker.take(cfg)
	}
	return nil
}

// Run serves until ctx is done, drains, and closes everything. The stores and
// the worker outlive the last request; in embedded mode, where a successor waits for
// the books, the last one that asks them. In the place of another instance it serves
// once it is ready, and that one leaves then; if it does not come to that, the
// other one goes on.
func (e *Edge) Run(ctx context.Context) error {
	behind, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	group, broken := errgroup.WithContext(behind)
	group.Go(func() error { return e.work(broken) })
	group.Go(func() error { return e.edge.RunCache(broken) })
	group.Go(func() error { return e.keeper.Run(broken) })
	group.Go(func() error { e.survey(broken); return nil })
	front, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	context.AfterFunc(broken, func() { cancel(nil) })
	err := e.serve(front, cancel)
	stop()
	return errors.Join(err, group.Wait(), e.Close())
}

// Close closes what an edge that is not run has opened. After Run, and a second
// time, it does nothing.
func (e *Edge) Close() (err error) {
	e.closing.Do(func() {
		var errs []error
		errs = append(errs, e.sockets.Close())
		if e.worker != nil {
			errs = append(errs, e.worker.Close())
		}
		if e.stores != nil {
			errs = append(errs, e.stores.close())
		}
		errs = append(errs, e.before.Close(), e.offer.Load().Close())
		err = errors.Join(errs...)
	})
	return err
}

func (e *Edge) ready() error {
	errs := []error{e.server.Ready(), e.keeper.Ready()}
	if e.worker != nil {
		errs = append(errs, e.worker.ready())
	}
	return errors.Join(errs...)
}
