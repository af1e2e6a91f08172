package e2e_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/shop"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestHealthThroughTrouble: who asks ten times a second whether an edge and a
// worker live is told so all the time, whatever store is away; whether they are
// ready is told as documented; and none of it is queued or given a ticket.
func TestHealthThroughTrouble(t *testing.T) {
	t.Parallel()
	behind := httptest.NewServer(shop.New(hookKey))
	t.Cleanup(behind.Close)
	dir := t.TempDir()
	sales := filepath.Join(dir, "sales")
	saleFile{opens: time.Now().Add(-time.Minute).Truncate(time.Second), open: time.Hour, stock: 1, rate: 10, burst: 10, hold: time.Hour}.write(t, sales)
	redis, postgres := testserver.StartRedis(t), testserver.StartPostgres(t)
	o := operator{name: "one", sales: sales, origin: behind.URL, redis: redis.URL, postgres: postgres.URL}
	worker := newWorker(t, filepath.Join(dir, "worker"), o)
	edge := newEdge(t, filepath.Join(dir, "edge"), o)
	for _, s := range []*server{worker, edge} {
		s.start(t)
	}
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	defer asking.Wait()
	defer stop()
	for _, s := range []*server{worker, edge} {
		asking.Go(func() { s.alwaysLives(ctx, t) })
	}
	ready := func(s *server) func() bool { return func() bool { return answers(s.ready) } }
	away := func(s *server) func() bool { return func() bool { return !answers(s.ready) } }

	eventually(t, "both are ready", func() bool { return answers(edge.ready) && answers(worker.ready) })
	redis.Kill()
	eventually(t, "without Redis the edge is not ready", away(edge))
	redis.Start()
	eventually(t, "with Redis the edge is ready", ready(edge))
	postgres.Kill()
	eventually(t, "without Postgres the worker is not ready", away(worker))
	if code := statusOf(t, edge.ready); code != http.StatusOK {
		t.Errorf("without Postgres, of which it has no need, the edge says %d", code)
	}
	postgres.Start()
	eventually(t, "with Postgres the worker is ready", ready(worker))
}

// alwaysLives asks until ctx ends.
func (s *server) alwaysLives(ctx context.Context, t *testing.T) {
	base := strings.TrimSuffix(s.ready, "readyz")
	for asked := 0; pause(ctx, 100*time.Millisecond); asked++ {
		for _, path := range []string{"healthz", "readyz"} {
			res, err := patient.Get(base + path)
			if err != nil {
				t.Errorf("%s after %d: %v", base+path, asked, err)
				return
			}
			_ = res.Body.Close()
			if path == "healthz" && res.StatusCode != http.StatusOK {
				t.Errorf("%s after %d: got %d, want 200", base+path, asked, res.StatusCode)
			}
			if set := res.Header["Set-Cookie"]; len(set) > 0 {
				t.Errorf("%s sets %q", base+path, set)
			}
		}
	}
}

// patient asks anew each time, as checks do, and waits as long as a busy machine
// needs.
var patient = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

func statusOf(t *testing.T, url string) int {
	t.Helper()
	res, err := patient.Get(url)
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// TestHealthWhileShoppersAreRefused: neither a sale that is sold out nor a limit
// that is reached stands in the way of a check.
func TestHealthWhileShoppersAreRefused(t *testing.T) {
	t.Parallel()
	healthy := func(while, ready string) {
		t.Helper()
		for range 20 {
			if lives, may := statusOf(t, strings.TrimSuffix(ready, "readyz")+"healthz"), statusOf(t, ready); lives != 200 || may != 200 {
				t.Errorf("%s the edge's health is %d, and its readiness %d", while, lives, may)
			}
		}
	}
	h := openHouse(t, 1)
	h.shop(0, 3)
	healthy("sold out,", h.ready)
	f := openFrontOf(t, operator{limits: "{join: 1/min, request: 1/s}"})
	c := f.client(true)
	eventually(t, "the limit is reached", func() bool { return f.send(c, http.MethodGet, "/account", "").StatusCode == http.StatusTooManyRequests })
	healthy("with the limit reached,", f.ready)
}

// TestChecksOfTheShopAreItsOwn: at the shop's address nothing is known of ours.
func TestChecksOfTheShopAreItsOwn(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	c := f.client(true)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/v1/cache/purge", "/v1/sales/golden-toy/pause"} {
		r := f.send(c, http.MethodGet, path, "")
		if r.noTicket(t); r.StatusCode != http.StatusNotFound || len(f.shop.Seen(path)) != 1 {
			t.Errorf("%s: got %d, and the shop saw it %d times", path, r.StatusCode, len(f.shop.Seen(path)))
		}
	}
}
