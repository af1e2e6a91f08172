package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

// result is what one round came to.
type result struct {
	settings string // of the Postgres, as it says itself
	worker   float64

	pgbench []figure
}

// figure is what pgbench came to with so many clients.
type figure struct {
	clients int
	tps     float64
}

// best is the figure with the most orders a second.
func (r result) best() (best figure) {
	for _, f := range r.pgbench {
		if f.tps > best.tps {
			best = f
		}
	}
	return best
}

// ratio is the worker over the best pgbench.
func (r result) ratio() float64 { return r.worker / max(r.best().tps, 1) }

// measure runs one round on a Redis and a Postgres of its own: the worker between
// the two halves of pgbench, so that no drift of the machine favours either.
func measure(ctx context.Context, o options, tell func(string)) (r result, err error) {
	owner := &testserver.Measurement{}
	defer owner.End()
	url := testserver.StartPostgres(owner, "fsync=on", "full_page_writes=on", "synchronous_commit=on",
		"shared_buffers=256MB", "max_wal_size=4GB").URL
	books, err := ledger.OpenPostgres(configs.NewSecret(url))
	if err != nil {
		return r, err
	}
	defer func() { _ = books.Close() }()
	if err := books.Migrate(ctx); err != nil {
		return r, err
	}
	if r.settings, err = settings(ctx, url); err != nil {
		return r, err
	}
	st, err := open(ctx, owner, o, books)
	if err != nil {
		return r, err
	}
	tell("fill the stream")
	if err := st.fill(ctx); err != nil {
		return r, err
	}
	bench, err := newPgbench(ctx, owner, url)
	if err != nil {
		return r, err
	}
	half := len(o.clients) / 2
	for i, clients := range o.clients {
		if i == half {
			tell("the worker")
			if err := st.drain(ctx, &r); err != nil {
				return r, err
			}
		}
		tell(fmt.Sprintf("pgbench with %d clients", clients))
		tps, err := bench.run(ctx, clients, o.pgbench)
		if err != nil {
			return r, err
		}
		r.pgbench = append(r.pgbench, figure{clients, tps})
	}
	return r, st.check(ctx)
}

// settings asks the server for what its commits wait for.
func settings(ctx context.Context, url string) (s string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", fmt.Errorf("ask postgres for its settings: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, `SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) FROM pg_settings
		WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'server_version')`).Scan(&s)
	if err != nil {
		return "", fmt.Errorf("ask postgres for its settings: %w", err)
	}
	return s, nil
}
