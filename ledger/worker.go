package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// Worker drains winners into the books, expires what is not paid, gives back,
// refunds, tells, and keeps every gate in step with the books. Any number of
// workers may run against one database and one Redis.
type Worker struct {
	section configs.Worker
	books   *Books
	gateOf  GateOf
	sales   atomic.Pointer[map[string]*configs.Sale] // by Key; replaced whole by a reload
	terms   sync.Map                                 // configs.Terms by Key: a file's, as this worker had them written last
	changed nudge                                    // a reload came
	seats   chan struct{}                            // one for each reader that waits in Redis
	pace    *rate.Limiter                            // winners settled, over all sales
	most    int                                      // winners in a batch
	once    rate.Sometimes                           // one line a second, whatever fails
	grace   time.Duration                            // see receiptGrace
	webhook *http.Client                             // tells the shop of refunds
	metrics *metrics
	log     *zap.Logger
}

// GateOf returns the gate of a sale by configs.Sale.Key, also of one that is no
// longer in the configuration: for that it may have to ask the store.
type GateOf func(ctx context.Context, key string) (*gate.Gate, error)

// NewWorker returns a worker of these sales, whose gates are those of gateOf.
func NewWorker(section configs.Worker, sales []*configs.Sale, books *Books, gateOf GateOf, registry prometheus.Registerer, log *zap.Logger) (*Worker, error) {
	if section.Name == "" {
		return nil, errors.New("new worker: worker.name is empty; right would be a name that survives restarts, such as the host's")
	}
	pace, most := newPace(section.OrdersPerSecond, time.Now())
	m, err := newMetrics(registry)
	if err != nil {
		return nil, fmt.Errorf("new worker: %w", err)
	}
	w := &Worker{
		section: section, books: books, gateOf: gateOf,
		changed: newNudge(),
		seats:   make(chan struct{}, readSeats),
		pace:    pace,
		most:    most,
		once:    rate.Sometimes{Interval: time.Second},
		grace:   receiptGrace,
		webhook: newWebhook(),
		metrics: m,
		log:     log.Named("ledger"),
	}
	w.Apply(sales)
	return w, nil
}

// Apply replaces the sales that the worker keeps, after a reload.
func (w *Worker) Apply(sales []*configs.Sale) {
	byKey := make(map[string]*configs.Sale, len(sales))
	for _, s := range sales {
		byKey[s.Key] = s
	}
	w.sales.Store(&byKey)
	w.changed.give()
}

// sale returns a sale's section, or nil when it is no longer configured.
func (w *Worker) sale(key string) *configs.Sale { return (*w.sales.Load())[key] }

// Run works until ctx ends. Then it reads no more, settles and acknowledges the
// batch that it has in hand, and returns nil.
func (w *Worker) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		w.every(ctx, 0, sweepEvery, "sweep", func(ctx context.Context) error { _, err := w.Sweep(ctx); return err })
	})
	// By itself too: a sweep that is cut short would never come to it.
	all.Go(func() { w.every(ctx, 0, sweepEvery, "tell shoppers", w.tellWaiting) })
	all.Go(func() { w.every(ctx, 0, outboxEvery, "send refunds", w.sendRefunds) })
	// Not at the start, when there is most to do.
	all.Go(func() {
		w.every(ctx, reconcileEvery/2+rand.N(reconcileEvery/2), reconcileEvery, "reconcile", w.reconcileAll)
	})
	w.attendAll(ctx)
	return nil
}

// Ready reports why the worker cannot work, or nil.
func (w *Worker) Ready(ctx context.Context) error {
	faults := []error{w.books.Ping(ctx)}
	for key := range *w.sales.Load() {
		g, err := w.gateOf(ctx, key)
		if err == nil {
			_, err = g.Look(ctx)
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// saleID is the sale's name without the run, for labels that stay few.
func saleID(key string) string {
	id, _, _ := strings.Cut(key, "@")
	return id
}
