package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	workerToken   = "the-token-of-the-benchmark"
	accountCookie = "session"

	crowdOfSale  = 1000                  // who wait in the sale whose answers are measured
	startsWithin = 15 * time.Second      // the programs, and those who enter one by one
	entersWithin = 40 * time.Microsecond // each of the crowd
)

// edge is a waitroom with a Redis, books and a worker of its own. It has a sale of which
// all is held, and others with a line each in which hardly anybody's turn comes.
type edge struct {
	*server
	opens   time.Time
	rdb     *redis.Client
	tickets map[string]string // of somebody who waits, by sale: a Cookie field
}

const (
	heldSale    = "held"
	waitingSale = "waiting"
)

// openEdge starts one with lines so long, by sale, and has them drawn.
func (st *stage) openEdge(ctx context.Context, lengths map[string]int) (*edge, error) {
	var all time.Duration
	for _, n := range lengths {
		all += time.Duration(n) * entersWithin
	}
	dir, err := os.MkdirTemp(st.dir, "edge-")
	if err != nil {
		return nil, err
	}
	store, books := testserver.StartRedis(st.owner), testserver.StartPostgres(st.owner)
	e := &edge{rdb: testserver.EdgeClient(st.owner, store.URL), tickets: map[string]string{}}
	e.opens = time.Now().Add(startsWithin + all).Truncate(time.Second)
	https, admin, worker := testserver.FreeAddress(st.owner), testserver.FreeAddress(st.owner), testserver.FreeAddress(st.owner)
	file := filepath.Join(dir, "waitroom.yaml")
	files := map[string]string{file: fmt.Sprintf(`listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: files, domains: [%s], files: [{cert: '%s', key: '%s'}]}
origin: {url: 'http://%s'}
redis: {url: '%s'}
postgres: {url: '%s'}
data_dir: data
secret: 'the-secret-of-the-benchmark, of 32 bytes or more'
worker: {listen: '%s', token: '%s'}
identity: {cookie: %s}
limits: {address: off, device: off, block: off, account: {request: 1/h}}
sales: ['*.sale.yaml']
`, https, admin, shop, st.cert, st.key, st.origin, store.URL, books.URL, worker, workerToken, accountCookie)}
	files[filepath.Join(dir, "held.sale.yaml")] = e.saleFile(heldSale, "stock: 1\nadmit: 1000/s\nhold: 1h\n")
	for sale := range lengths {
		files[filepath.Join(dir, sale+".sale.yaml")] = e.saleFile(sale, "stock: 1000\nadmit: 1/min\nburst: 1\nshed: off\n")
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	writer := testserver.NewProgram(st.owner, testserver.Healthy(worker), filepath.Join(st.dir, "orderworker"), "run", "--config", file)
	e.server = st.program(waitroom, https, testserver.Healthy(admin), filepath.Join(st.dir, "waitroom"), "run", "--config", file, "--linger", "0s")
	if err := errors.Join(writer.Start(), e.Start()); err != nil {
		return nil, err
	}
	return e, e.fill(ctx, lengths)
}

func (e *edge) saleFile(sale, more string) string {
	instant := func(d time.Duration) string { return e.opens.Add(d).UTC().Format("2006-01-02 15:04:05") }
	return fmt.Sprintf("sale: %[1]s\ntitle: Toy\ntimezone: UTC\ndoors: %[2]s\nopens: %[3]s\ncloses: %[4]s\n"+
		"product_page: /%[1]s\nbuy: POST /%[1]s/buy\ncheckout: /checkout?reservation={reservation}\n%[5]s",
		sale, instant(-time.Hour), instant(0), instant(48*time.Hour), more)
}
