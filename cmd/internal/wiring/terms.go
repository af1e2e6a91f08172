package wiring

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	termsEvery = time.Second
	termsWait  = 2 * time.Second
)

// What holds of a sale while it is open, a worker reads in the books and posts; an
// edge that does not reach these reads what was posted.

// underBooks is a configuration under what the books say of open sales, for a worker
// that starts.
func underBooks(ctx context.Context, cfg *configs.Config, s *stores) (*configs.Config, error) {
	for i := range cfg.Sales {
		sale := &cfg.Sales[i]
		err := s.Books.Adopt(ctx, sale, func(ctx context.Context) (int, error) { return gate.Built(ctx, s.Worker, sale.Key) })
		if err != nil {
			return nil, err
		}
	}
	terms, err := s.Books.OpenTerms(ctx)
	if err != nil {
		return nil, err
	}
	return cfg.Under(terms), nil
}

// posted is what was posted of a configuration's sales and holds of them, or follows
// from the gate where nothing was.
func posted(ctx context.Context, rdb redis.UniversalClient, cfg *configs.Config) ([]configs.Terms, error) {
	ctx, cancel := context.WithTimeout(ctx, termsWait)
	defer cancel()
	ids := make([]string, len(cfg.Sales))
	for i := range cfg.Sales {
		ids[i] = cfg.Sales[i].ID
	}
	found, err := gate.Posted(ctx, rdb, ids)
	if err != nil {
		return nil, err
	}
	var terms []configs.Terms
	now := time.Now()
	for i := range cfg.Sales {
		sale := &cfg.Sales[i]
		t, ok := found[sale.ID]
		if !ok {
			if t, ok, err = byGate(ctx, rdb, sale, now); err != nil {
				return nil, err
			}
		}
		if ok && !now.Before(t.Doors) && (t.Open(now) || t.SameRun(sale.Written())) {
			terms = append(terms, t)
		}
	}
	return terms, nil
}

// byGate is what a gate says of an open sale: in how many buckets it is.
func byGate(ctx context.Context, rdb redis.UniversalClient, sale *configs.Sale, now time.Time) (configs.Terms, bool, error) {
	t := sale.InForce()
	if !t.Open(now) {
		return t, false, nil
	}
	n, err := gate.Built(ctx, rdb, t.Key)
	if err != nil || n == 0 {
		return t, false, err
	}
	t.Buckets = n
	return t, true, nil
}

// everyTerms takes a step again and again until ctx is done. One that fails is taken
// again: what holds stays, and that stores are away is said elsewhere.
func everyTerms(ctx context.Context, step func(context.Context) error) {
	ticker := time.NewTicker(termsEvery)
	defer ticker.Stop()
	for {
		_ = within(ctx, step)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func within(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, termsWait)
	defer cancel()
	return step(ctx)
}

// Hold tells a watcher what holds of the sales until ctx is done, and posts it.
func (w *Worker) Hold(ctx context.Context, hold func([]configs.Terms)) error {
	everyTerms(ctx, func(ctx context.Context) error {
		terms, err := w.Ledger.InForce(ctx)
		if err != nil {
			return err
		}
		hold(terms)
		return gate.Post(ctx, w.stores.Worker, terms)
	})
	return nil
}

// Hold tells a watcher what holds of the sales until ctx is done.
func (e *Edge) Hold(ctx context.Context, hold func([]configs.Terms)) error {
	if e.worker != nil {
		return e.worker.Hold(ctx, hold)
	}
	everyTerms(ctx, func(ctx context.Context) error {
		terms, err := posted(ctx, e.stores.Edge, e.Config())
		if err == nil {
			hold(terms)
		}
		return err
	})
	return nil
}

// overruled is the gauge of what files say that is not in force.
type overruled struct{ gauge *prometheus.GaugeVec }

func newOverruled(reg prometheus.Registerer) overruled {
	o := overruled{prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "waitroom", Name: "file_overruled",
		Help: "1 for each key of a sale's file that says something else than what is in force while the sale is open."}, []string{"sale", "key"})}
	reg.MustRegister(o.gauge)
	return o
}

func (o overruled) tell(cfg *configs.Config) {
	o.gauge.Reset()
	for _, f := range cfg.Overruled() {
		o.gauge.WithLabelValues(f.Sale, f.Key).Set(1)
	}
}
