package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

// stage is a sale with its gate in a Redis of its own, its books, and a worker.
type stage struct {
	orders   int
	sale     *configs.Sale
	gate     *gate.Gate
	books    *ledger.Books
	worker   *ledger.Worker
	registry *prometheus.Registry
}

const saleKey = "golden-toy"

// open makes a sale and lets the worker build its gate.
func open(ctx context.Context, owner testserver.Owner, o options, books *ledger.Books) (*stage, error) {
	rdb := testserver.EdgeClient(owner, testserver.Redis(owner))
	if err := gate.Load(ctx, rdb); err != nil {
		return nil, err
	}
	now := time.Now()
	st := &stage{
		orders: o.orders, books: books, gate: gate.New(rdb, saleKey, o.buckets), registry: prometheus.NewRegistry(),
		sale: &configs.Sale{
			ID: saleKey, Key: saleKey, Stock: o.orders, Buckets: o.buckets, PerAccount: 1, Hold: time.Hour,
			Doors: now.Add(-time.Hour), Opens: now.Add(-time.Hour), Closes: now.Add(time.Hour),
		},
	}
	section := configs.Worker{Name: "one", OrdersPerSecond: 100_000, MaxBacklog: o.orders + 1}
	gateOf := func(context.Context, string) (*gate.Gate, error) { return st.gate, nil }
	var err error
	st.worker, err = ledger.NewWorker(section, []*configs.Sale{st.sale}, books, gateOf, st.registry, zap.NewNop())
	if err != nil {
		return nil, err
	}
	return st, st.work(ctx, func(s gate.Snapshot) bool { return s.Open() })
}

// work lets the worker run until the gate is as wanted.
func (st *stage) work(ctx context.Context, until func(gate.Snapshot) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return st.worker.Run(running) })
	group.Go(func() error {
		defer cancel() // the worker's end
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		for {
			snap, err := st.gate.Look(running)
			if err != nil || until(snap) {
				return err
			}
			select {
			case <-look.C:
			case <-running.Done():
				return errors.New("the worker did not come to its end in time")
			}
		}
	})
	return group.Wait()
}

// fill sells every unit, through the gate as an edge does.
func (st *stage) fill(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(32)
	for i := range st.orders {
		group.Go(func() error {
			id := uuid.NewString()
			_, err := st.gate.Reserve(ctx, gate.Request{
				Reservation: id, Account: fmt.Sprintf("customer-%d", i), Ticket: "ticket-" + id, Key: id, Digest: "-",
				Qty: 1, PerAccount: 1, Hold: st.sale.Hold, MaxBacklog: st.orders + 1,
			})
			return err
		})
	}
	return group.Wait()
}

// drain measures the worker from its start to the last acknowledgement.
func (st *stage) drain(ctx context.Context, r *result) error {
	begun := time.Now()
	return st.work(ctx, func(s gate.Snapshot) bool {
		r.worker = float64(st.orders) / time.Since(begun).Seconds()
		return s.Backlog == 0
	})
}

// check compares what is in the books with what was sold.
func (st *stage) check(ctx context.Context) error {
	c, err := st.books.Counts(ctx, saleKey)
	if err != nil {
		return err
	}
	if !c.Balanced() || c.Pending != st.orders {
		return fmt.Errorf("books: %+v, want %d orders", c, st.orders)
	}
	return nil
}
