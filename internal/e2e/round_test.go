package e2e_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	shoppers  = 150
	untilDraw = 3 * time.Second // programs start, and most shoppers join
	selling   = 8 * time.Second // from the draw to the closing
	settling  = 8 * time.Second // after the closing, for payments and answers
)

// TestWholeSales plays sales in which programs die, and looks at the books.
func TestWholeSales(t *testing.T) {
	rounds, seed := 2, uint64(time.Now().UnixNano()/int64(time.Millisecond))
	if n, err := strconv.Atoi(os.Getenv("WAITROOM_ROUNDS")); err == nil {
		rounds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("WAITROOM_SEED"), 10, 64); err == nil {
		rounds, seed = 1, n
	}
	for i := range rounds {
		seed := seed + uint64(i)
		t.Run(fmt.Sprintf("WAITROOM_SEED=%d", seed), func(t *testing.T) { play(t, seed) })
	}
}

// round is one sale with all that takes part in it.
type round struct {
	t        *testing.T
	seed     uint64
	plan     plan
	sale     saleFile
	sales    string                  // folder of its file
	redis    *testserver.RedisServer // nil: there are several
	postgres *testserver.PostgresServer
	edges    []*server // edge i reports payments to worker i
	workers  []*server
	roots    *x509.CertPool
	rdb      redis.UniversalClient
	gate     *gate.Gate
	told     *told
	crowd    []*shopper
}

func play(t *testing.T, seed uint64) {
	r := newRound(t, seed)
	r.start()
	r.play()
}

// play is the sale, from when all are up.
func (r *round) play() {
	r.t.Logf("in this sale: %s", r.plan.name)

	var strikes sync.WaitGroup
	strikes.Go(r.strike)
	r.sendCrowd()
	strikes.Wait()
	r.settle()
	r.check()
}

func newRound(t *testing.T, seed uint64) *round {
	server := testserver.StartRedis(t)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr, MaxRetries: -1})
	t.Cleanup(func() { rdb.Close() })
	rng := rand.New(rand.NewPCG(seed, 0))
	r := newRoundOn(t, seed, plans[seed%uint64(len(plans))], server.URL, rdb, saleFile{
		opens: time.Now().Add(untilDraw).Round(time.Second), open: selling,
		stock: 30 + rng.IntN(31), rate: 15 + rng.IntN(15), burst: 1 + rng.IntN(10), hold: 2 * time.Second,
	})
	r.redis = server
	return r
}

// newRoundOn is a round on whatever Redis an address names, with a client of it.
func newRoundOn(t *testing.T, seed uint64, p plan, address string, rdb redis.UniversalClient, sale saleFile) *round {
	r := &round{
		t: t, seed: seed, plan: p, told: newTold(), sale: sale,
		postgres: testserver.StartPostgres(t), roots: x509.NewCertPool(), rdb: rdb, gate: gate.New(rdb, saleID, 1),
	}
	dir := t.TempDir()
	r.sales = filepath.Join(dir, "sales")
	r.sale.write(t, r.sales)
	for i := range 2 {
		o := operator{
			name: fmt.Sprintf("worker-%d", i), sales: r.sales,
			redis: address, postgres: r.postgres.URL, origin: "http://127.0.0.1:1",
		}
		w := newWorker(t, filepath.Join(dir, o.name), o)
		shop := httptest.NewServer(storefront.New(storefront.Options{Worker: "http://" + w.address, Token: workerToken}))
		t.Cleanup(shop.Close)
		o.origin, o.worker = shop.URL, w.address
		r.workers = append(r.workers, w)
		r.edges = append(r.edges, newEdge(t, filepath.Join(dir, fmt.Sprintf("edge-%d", i)), o))
	}
	return r
}

// start starts all four at once, as after a power cut.
func (r *round) start() {
	r.t.Helper()
	var all sync.WaitGroup
	for _, s := range append(append([]*server{}, r.edges...), r.workers...) {
		all.Go(func() { s.start(r.t) })
	}
	all.Wait()
	if r.t.Failed() {
		r.t.FailNow()
	}
	for _, e := range r.edges {
		e.trust(r.t, r.roots)
	}
}

// sendCrowd returns when everybody has gone home, or it is late.
func (r *round) sendCrowd() {
	ctx, cancel := context.WithDeadline(r.t.Context(), r.sale.closes().Add(settling))
	defer cancel()
	over := r.sale.opens.Add(r.sale.open / 3) // the last ones arrive when it is open
	var all sync.WaitGroup
	for i := range shoppers {
		s := r.newShopper(i)
		r.crowd = append(r.crowd, s)
		all.Go(func() {
			defer s.close()
			if pause(ctx, time.Duration(s.rng.Float64()*float64(time.Until(over)))) {
				s.live(ctx)
			}
		})
	}
	all.Wait()
	for _, s := range r.crowd {
		if !s.home {
			r.fault("shopper %d never came to an end: reservation %q, paid %v", s.id, s.mine, s.paid)
		}
	}
}

// judge looks at an answer for what no answer may be.
func (r *round) judge(edge *server, method, path string, a answer) {
	r.told.answered(a.code)
	if a.code == http.StatusInternalServerError {
		r.fault("%s %s: 500 from %s", method, path, edge.address)
	}
}

// failed is a request without an answer, which is a fault of an edge that
// drains, and of no other.
func (r *round) failed(ctx context.Context, edge *server, err error) {
	if ctx.Err() == nil && edge.draining.Load() {
		r.fault("a request was cut while %s drained: %v", edge.address, err)
	}
}

func (r *round) fault(format string, args ...any) { r.told.fault(fmt.Sprintf(format, args...)) }
