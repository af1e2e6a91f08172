package wiring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/cmd/internal/survey"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/ledger"
)

const (
	apiHeaderWait = 10 * time.Second
	apiWait       = 30 * time.Second
	apiIdle       = 2 * time.Minute
	apiDrain      = 10 * time.Second
)

// Worker is the program `orderworker run`, also inside an embedded edge: the
// ledger's loops, and their API on a listener of its own.
type Worker struct {
	Ledger  *ledger.Worker
	stores  *stores
	gates   *gates
	owned   bool // the stores are this program's to close
	metrics *prometheus.Registry
	said    overruled
	inForce atomic.Pointer[configs.Config]
	api     *http.Server
	on      net.Listener          // nil: no API
	survey  func(context.Context) // says whether the stores are fit; nil: embedded
	closing sync.Once
}

// NewWorker opens stores and the API's listener. Run or Close what it returns.
func NewWorker(ctx context.Context, cfg *configs.Config, log *zap.Logger) (*Worker, error) {
	if cfg.Embedded() || !cfg.Worker.Token.IsSet() { // nothing would guard the API
		return OpenWorker(ctx, cfg, log)
	}
	on, err := net.Listen("tcp", cfg.Worker.Listen)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyWorker, err)
	}
	w, err := openWorker(ctx, cfg, on, log)
	if err != nil {
		return nil, errors.Join(err, on.Close())
	}
	return w, nil
}

// OpenWorker opens stores only: for one task beside a worker that runs. Close
// what it returns.
func OpenWorker(ctx context.Context, cfg *configs.Config, log *zap.Logger) (*Worker, error) {
	if cfg.Embedded() {
		return nil, Inside(cfg, "start that alone, or write both")
	}
	return openWorker(ctx, cfg, nil, log)
}

// Inside is the fault of asking a worker of its own for what the one inside waitroom
// does; instead says what to do.
func Inside(cfg *configs.Config, instead string) configs.Faults {
	return configs.Faults{{File: cfg.File, Wrong: "neither redis nor postgres is configured, so the worker runs inside waitroom", Right: instead}}
}

// openWorker opens stores for a worker whose API is on a listener; nil: it has none.
func openWorker(ctx context.Context, cfg *configs.Config, on net.Listener, log *zap.Logger) (*Worker, error) {
	stores, err := openStores(ctx, cfg, true)
	if err != nil {
		return nil, err
	}
	w, err := workerUnderBooks(ctx, cfg, stores, on, log)
	if err != nil {
		return nil, errors.Join(err, stores.close())
	}
	w.owned = true
	w.survey = func(ctx context.Context) {
		watch(ctx, log, func(ctx context.Context) []survey.Finding {
			return append(survey.Redis(ctx, w.stores.Worker, cfg.Redis.URL), survey.Postgres(ctx, cfg.Postgres.URL)...)
		})
	}
	return w, nil
}

// workerUnderBooks is newWorker under what holds of open sales.
func workerUnderBooks(ctx context.Context, cfg *configs.Config, stores *stores, on net.Listener, log *zap.Logger) (*Worker, error) {
	cfg, err := underBooks(ctx, cfg, stores)
	if err != nil {
		return nil, err
	}
	reg := newRegistry()
	return newWorker(cfg, stores, on, reg, newOverruled(reg), log)
}

// newWorker makes a worker on stores. on is the listener of its API; nil: it has none.
func newWorker(cfg *configs.Config, stores *stores, on net.Listener, reg *prometheus.Registry, said overruled, log *zap.Logger) (*Worker, error) {
	gates := newGates(stores.Worker, cfg)
	books, err := ledger.NewWorker(cfg.Worker, salesOf(cfg), stores.Books, gates.of, reg, log)
	if err != nil {
		return nil, err
	}
	w := &Worker{stores: stores, gates: gates, Ledger: books, metrics: reg, said: said, on: on}
	w.api = &http.Server{
		Handler:           w.handler(cfg.Worker.Token),
		ReadHeaderTimeout: apiHeaderWait, ReadTimeout: apiWait, WriteTimeout: apiWait, IdleTimeout: apiIdle,
	}
	w.inForce.Store(cfg)
	said.tell(cfg)
	return w, nil
}

// Config is the configuration in force: of open sales what the books say, whatever
// their files do.
func (w *Worker) Config() *configs.Config { return w.inForce.Load() }

func salesOf(cfg *configs.Config) []*configs.Sale {
	sales := make([]*configs.Sale, len(cfg.Sales))
	for i := range cfg.Sales {
		sales[i] = &cfg.Sales[i]
	}
	return sales
}

func (w *Worker) handler(token configs.Secret) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", ledger.NewAPI(w.Ledger, token))
	mux.Handle("GET /metrics", promhttp.HandlerFor(w.metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "ok\n") })
	mux.HandleFunc("GET /readyz", func(rw http.ResponseWriter, _ *http.Request) {
		if err := w.ready(); err != nil {
			http.Error(rw, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(rw, "ready\n")
	})
	return mux
}

// Addr is where the API is served; nil when it is not.
func (w *Worker) Addr() net.Addr {
	if w.on == nil {
		return nil
	}
	return w.on.Addr()
}

// Books are the worker's books, for reports.
func (w *Worker) Books() *ledger.Books { return w.stores.Books }

// Apply takes a reloaded configuration's sales. It cannot fail.
func (w *Worker) Apply(cfg *configs.Config) error {
	w.take(cfg)
	return nil
}

func (w *Worker) take(cfg *configs.Config) {
	w.gates.apply(cfg)
	w.Ledger.Apply(salesOf(cfg))
	w.inForce.Store(cfg)
	w.said.tell(cfg)
}

// Run works until ctx is done, finishes what is in hand, and closes everything.
func (w *Worker) Run(ctx context.Context) error {
	return errors.Join(w.run(ctx), w.Close())
}

// Close closes what a worker that is not run has opened. After Run, and a second
// time, it does nothing.
func (w *Worker) Close() (err error) {
	w.closing.Do(func() {
		if w.on != nil {
			if err = w.on.Close(); errors.Is(err, net.ErrClosed) { // it has served
				err = nil
			}
		}
		if w.owned {
			err = errors.Join(err, w.stores.close())
		}
	})
	return err
}

func (w *Worker) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.Ledger.Run(ctx) })
	if w.survey != nil {
		group.Go(func() error { w.survey(ctx); return nil })
	}
	if w.on != nil {
		group.Go(func() error {
			if err := w.api.Serve(w.on); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve worker API: %w", err)
			}
			return nil
		})
		group.Go(func() error {
			<-ctx.Done()
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), apiDrain)
			defer cancel()
			return w.api.Shutdown(late)
		})
	}
	return group.Wait()
}

// inBooks waits until all that the gates gave is written, of a worker whose gates are
// gone with it. What is not by then is said.
func (w *Worker) inBooks(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	ticker := time.NewTicker(writeEvery)
	defer ticker.Stop()
	for {
		backlog, err := w.backlog(ctx)
		if err == nil && backlog == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("write the last winners: %d left: %w", backlog, errors.Join(context.Cause(ctx), err))
		case <-ticker.C:
		}
	}
}

// backlog is how many winners are not in the books yet.
func (w *Worker) backlog(ctx context.Context) (n int, err error) {
	for _, s := range w.Config().Sales {
		g, err := w.gates.of(ctx, s.Key)
		if err != nil {
			return n, err
		}
		look, err := g.Look(ctx)
		if err != nil {
			return n, err
		}
		n += look.Backlog
	}
	return n, nil
}

func (w *Worker) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), redisDial)
	defer cancel()
	return errors.Join(w.Ledger.Ready(ctx), pingRedis(ctx, w.stores.Worker))
}
