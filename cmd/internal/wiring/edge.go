package wiring

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy"
)

// Edge is the program `waitroom run`: the door, and in embedded mode the worker
// beside it.
type Edge struct {
	log     *zap.Logger
	stores  *Stores
	edge    *proxy.Edge
	server  *proxy.Server
	worker  *Worker // nil: orderworker runs elsewhere
	metrics *prometheus.Registry
}

// NewEdge opens stores and listeners. linger is how long a stopping edge still
// accepts requests. Close what it returns, or Run it.
func NewEdge(ctx context.Context, cfg *configs.Config, linger time.Duration, log *zap.Logger) (e *Edge, err error) {
	e = &Edge{log: log, metrics: newRegistry()}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close())
		}
	}()
	if e.stores, err = openStores(ctx, cfg, false); err != nil {
		return e, err
	}
	if e.edge, err = proxy.New(cfg, e.stores.Redis, e.metrics, log); err != nil {
		return e, err
	}
	if cfg.Embedded() {
		if e.worker, err = newWorker(cfg, e.stores, e.metrics, log); err != nil {
			return e, err
		}
		if err = e.worker.listen(cfg.Worker); err != nil {
			return e, err
		}
	}
	e.server, err = proxy.NewServer(cfg, e.edge, e.edge.Admin(e.metrics, e.ready), linger, log)
	return e, err
}

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

// Apply puts a new configuration into force, what can fail first: after an error
// the edge and its worker still have the same sales, those of before.
func (e *Edge) Apply(cfg *configs.Config) error {
	if err := e.server.Apply(cfg); err != nil {
		return err
	}
	if err := e.edge.Apply(cfg); err != nil {
		return err
	}
	if e.worker == nil {
		return nil
	}
	return e.worker.Apply(cfg)
}

// Run serves until ctx is done, drains, and closes everything. The stores and
// the worker outlive the last request.
func (e *Edge) Run(ctx context.Context) error {
	behind, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	group, broken := errgroup.WithContext(behind)
	group.Go(func() error { return e.edge.Run(broken) })
	if e.worker != nil {
		group.Go(func() error { return e.worker.run(broken) })
	}
	front, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(broken, cancel)
	err := e.server.Run(front)
	stop()
	return errors.Join(err, group.Wait(), e.close())
}

func (e *Edge) close() error {
	if e.stores == nil {
		return nil
	}
	return e.stores.Close()
}

func (e *Edge) ready() error {
	errs := []error{e.server.Ready()}
	if e.worker != nil {
		errs = append(errs, e.worker.ready())
	}
	return errors.Join(errs...)
}
