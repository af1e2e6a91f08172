package wiring

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/ledger"
)

// Compare holds files, books and gates of open sales to each other. faults are of the
// files: what they say and is not in force. apart says where books and gate are. Books
// that no worker has made yet, or that do not answer, say nothing.
func Compare(ctx context.Context, cfg *configs.Config) (faults configs.Faults, apart []string, err error) {
	hush()
	terms := openTerms(ctx, cfg)
	if !cfg.Embedded() {
		rdb, err := openRedis(cfg.Redis.URL)
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = rdb.Close() }()
		apart = besideGates(ctx, rdb, terms)
		terms = append(terms, byGates(ctx, rdb, cfg, terms)...)
	}
	for _, o := range cfg.Under(terms).Overruled() {
		faults = append(faults, o.Fault)
	}
	return faults, apart, nil
}

// openTerms is what the books say of open sales.
func openTerms(ctx context.Context, cfg *configs.Config) []configs.Terms {
	books, err := openBooks(ctx, cfg)
	if err != nil || books == nil {
		return nil
	}
	defer func() { _ = books.Close() }()
	ctx, cancel := context.WithTimeout(ctx, termsWait)
	defer cancel()
	terms, err := books.OpenTerms(ctx)
	if err != nil {
		return nil
	}
	return terms
}

// openBooks opens the books as they are; nil where a program that embeds them has
// not made them yet.
func openBooks(ctx context.Context, cfg *configs.Config) (*ledger.Books, error) {
	if !cfg.Embedded() {
		return ledger.OpenPostgres(cfg.Postgres.URL)
	}
	if _, err := os.Stat(filepath.Join(cfg.DataDir, "ledger.db")); err != nil {
		return nil, nil //nolint:nilerr // nothing to open
	}
	return ledger.OpenSQLite(ctx, cfg.DataDir)
}

// besideGates says where gates are not as the books say.
func besideGates(ctx context.Context, rdb redis.UniversalClient, terms []configs.Terms) (apart []string) {
	for _, t := range terms {
		switch n, err := gate.Built(ctx, rdb, t.Key); {
		case err != nil: // the survey says why
		case n == 0:
			apart = append(apart, fmt.Sprintf("sale %s is open by the books and has no gate, so it sells nothing: a worker that runs builds it", t.Key))
		case n != t.Buckets:
			apart = append(apart, fmt.Sprintf("the gate of sale %s is built in %d buckets, the books say %d: a worker that runs builds it anew", t.Key, n, t.Buckets))
		}
	}
	return apart
}

// byGates is what gates say of open sales of which the books say nothing.
func byGates(ctx context.Context, rdb redis.UniversalClient, cfg *configs.Config, known []configs.Terms) (terms []configs.Terms) {
	for i := range cfg.Sales {
		sale := &cfg.Sales[i]
		if slices.ContainsFunc(known, func(t configs.Terms) bool { return t.ID() == sale.ID }) {
			continue
		}
		if t, ok, err := byGate(ctx, rdb, sale, time.Now()); err == nil && ok {
			terms = append(terms, t)
		}
	}
	return terms
}
