package e2e_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

// wrong is by how much the clocks of a pair are, one this way and one that. Two
// seconds would do; ten leave a busy machine the time to ask before Redis's clock
// comes to where they are.
const wrong = 10 * time.Second

const (
	adminToken  = "the-admin-token-of-these-tests"
	edgesSecret = "the-secret-that-all-edges-of-these-tests-share" // see operator.write
)

// pair is two edges of one line, one with a clock that is slow and one with a
// clock that is fast, and a worker, whose clock is right as Redis's is.
type pair struct {
	t          *testing.T
	sale       saleFile
	sales      string // folder of the sale file
	doors      time.Time
	slow, fast *server
	redis      *testserver.RedisServer
	rdb        *redis.Client
	roots      *x509.CertPool
}

// openPair starts a pair and then sets the sale's instants, so long from when all
// are up.
func openPair(t *testing.T, untilDoors, untilOpen time.Duration, rate, burst int) *pair {
	t.Helper()
	dir := t.TempDir()
	p := &pair{t: t, sales: filepath.Join(dir, "sales"), redis: testserver.StartRedis(t), roots: x509.NewCertPool()}
	p.rdb = redis.NewClient(&redis.Options{Addr: p.redis.Addr, MaxRetries: -1})
	t.Cleanup(func() { p.rdb.Close() })
	if err := buildWrongClock(); err != nil {
		t.Fatal(err)
	}
	p.sale = saleFile{open: time.Hour, stock: 500, rate: rate, burst: burst, hold: 10 * time.Minute}
	p.schedule(time.Hour, time.Hour)

	o := operator{
		name: "worker", sales: p.sales, origin: "http://127.0.0.1:1",
		redis: p.redis.URL, postgres: testserver.StartPostgres(t).URL,
	}
	worker := newWorker(t, filepath.Join(dir, "worker"), o)
	shop := httptest.NewServer(storefront.New(storefront.Options{Worker: "http://" + worker.address, Token: workerToken}))
	t.Cleanup(shop.Close)
	o.origin, o.worker = shop.URL, worker.address
	p.slow = newEdgeWithClock(t, filepath.Join(dir, "slow"), o, -wrong)
	p.fast = newEdgeWithClock(t, filepath.Join(dir, "fast"), o, wrong)
	for _, s := range []*server{worker, p.slow, p.fast} {
		s.allowActions(t)
		s.start(t)
	}
	p.slow.trust(t, p.roots)
	p.fast.trust(t, p.roots)
	p.schedule(untilDoors, untilOpen)
	eventually(t, "both edges know when the sale opens", func() bool {
		opens := p.sale.opens.UnixMilli()
		return p.status(p.slow).Opens == opens && p.status(p.fast).Opens == opens
	})
	return p
}

// schedule writes when the sale opens its doors, and itself, from now.
func (p *pair) schedule(untilDoors, untilOpen time.Duration) {
	p.t.Helper()
	now := time.Now().Truncate(time.Second).Add(time.Second)
	p.doors, p.sale.opens = now.Add(untilDoors), now.Add(untilOpen+time.Second)
	p.write("Golden toy")
}

// allowActions lets operators act at an edge that is not started yet.
func (s *server) allowActions(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile(s.config, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "admin: {token: '%s'}\n", adminToken)
		defer f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// write puts the sale's file in its place, under a title.
func (p *pair) write(title string) {
	p.t.Helper()
	const instant = "2006-01-02 15:04:05"
	text := strings.NewReplacer(
		"title: Golden toy, half price", "title: "+title,
		"doors: "+p.sale.opens.Add(-time.Minute).UTC().Format(instant), "doors: "+p.doors.UTC().Format(instant),
	).Replace(p.sale.text())
	writeFile(p.t, filepath.Join(p.sales, "sale.yaml"), text)
}

func (p *pair) edges() []*server { return []*server{p.slow, p.fast} }

// past waits until an instant is over by Redis's clock, which is the machine's.
func (p *pair) past(instant time.Time) {
	pause(p.t.Context(), time.Until(instant)+50*time.Millisecond)
}

// before makes sure that all so far was done before an instant: if the machine
// was too slow for that, it says nothing.
func (p *pair) before(instant time.Time) {
	p.t.Helper()
	if late := time.Since(instant); late > 0 {
		p.t.Fatalf("the machine was too slow: %v late", late)
	}
}

// said is what an edge says of somebody in line, or of the line.
type said struct {
	code                        int
	State, Title                string
	Number, Place, Ahead, Drawn *uint64
	Head                        uint64
	Opens                       int64
	Seed, Commitment            string
	Rate                        float64
	AdmittedAt                  int64 `json:"admitted_at"`
	Again                       bool
}

// ask is an address of the sale's own.
func (p *pair) ask(b *browser, edge *server, method, part string) said {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	s, err := p.try(ctx, b, edge, method, part)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, part, err)
	}
	return s
}

func (p *pair) try(ctx context.Context, b *browser, edge *server, method, part string) (s said, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "https://"+edge.address+own(part), nil)
	if err != nil {
		return s, err
	}
	req.Header.Set("Accept", "application/json")
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := b.client.Do(req)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return s, err
	}
	b.keep(res.Cookies())
	s.code = res.StatusCode
	return s, json.Unmarshal(raw, &s)
}

func (p *pair) browser(account string) *browser {
	b := newBrowser(p.roots, account, false)
	p.t.Cleanup(b.close)
	return b
}

func (p *pair) status(edge *server) said {
	p.t.Helper()
	return p.ask(p.browser("nobody"), edge, http.MethodGet, "status")
}

// act does what an operator does, at one edge.
func (p *pair) act(edge *server, method, action, body string) {
	p.t.Helper()
	act(p.t, edge, method, action, body)
}

func act(t *testing.T, edge *server, method, action, body string) {
	t.Helper()
	address := strings.TrimSuffix(edge.ready, "/readyz") + "/v1/sales/" + saleID + "/" + action
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminToken)
	res, err := asker.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		t.Fatalf("%s %s: %d", method, action, res.StatusCode)
	}
}
