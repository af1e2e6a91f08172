package chaos_test

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

const workerToken = "the workers' token"

// worker is one that works through relays, and may die and be started again under
// its name.
type worker struct {
	*round
	name     string
	redis    *relays
	postgres *testserver.Relay
	address  string // of the books, through the relay

	mu  sync.Mutex
	api http.Handler // nil: it is dead
	end func()
}

func (r *round) newWorker(name string) *worker {
	u, err := url.Parse(r.booksURL)
	if err != nil {
		r.t.Fatal(err)
	}
	w := &worker{round: r, name: name, redis: newRelays(r.t), postgres: testserver.NewRelay(r.t, u.Host)}
	u.Host = w.postgres.Addr
	w.address = u.String()
	return w
}

// start lets the worker work until die.
func (w *worker) start() {
	rdb, err := connect(w.redisURL, w.redis)
	if err != nil {
		w.story.fault("connect worker: %v", err)
		return
	}
	books, err := ledger.OpenPostgres(configs.NewSecret(w.address))
	if err != nil {
		w.story.fault("open books: %v", err)
		return
	}
	section := configs.Worker{
		Name: w.name, Token: configs.NewSecret(workerToken), OrdersPerSecond: 100_000, MaxBacklog: maxBacklog,
	}
	work, err := ledger.NewWorker(section, []*configs.Sale{w.sale}, books,
		func(context.Context, string) (*gate.Gate, error) { return w.newGate(rdb), nil }, prometheus.NewRegistry(), w.log())
	if err != nil {
		w.story.fault("new worker: %v", err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- work.Run(ctx) }()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api = ledger.NewAPI(work, section.Token)
	w.end = func() {
		cancel()
		if err := <-done; err != nil {
			w.story.fault("worker %s ended: %v", w.name, err)
		}
		_, _ = rdb.Close(), books.Close() // they may be broken
	}
}

// log is a part of the story.
func (w *worker) log() *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "m", NameKey: "n"})
	return zap.New(zapcore.NewCore(encoder, w.story, zap.InfoLevel)).Named(w.name)
}

// die ends the worker as a crash does: from one moment to the next nothing of it
// reaches anybody.
func (w *worker) die() {
	w.redis.shut()
	w.postgres.Shut()
	w.stop()
	w.redis.open()
	w.postgres.Open()
}

// stop ends the worker in good order.
func (w *worker) stop() {
	w.mu.Lock()
	end := w.end
	w.api, w.end = nil, nil
	w.mu.Unlock()
	if end != nil {
		end()
	}
}

// handler is the API; nil while the worker is dead.
func (w *worker) handler() http.Handler {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.api
}

// newGate is the sale's gate as every process of a round has it.
func (r *round) newGate(rdb redis.UniversalClient) *gate.Gate {
	return gate.New(rdb, r.sale.Key, r.sale.Buckets)
}

func newSale(key string, stock, buckets int) *configs.Sale {
	now := time.Now()
	return &configs.Sale{
		ID: key, Key: key, Stock: stock, Buckets: buckets, PerAccount: 2, Hold: time.Minute, LatePayment: configs.Rehold,
		Doors: now.Add(-time.Hour), Opens: now.Add(-time.Hour), Closes: now.Add(time.Hour),
	}
}
