package e2e_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

// trio is three edges and a worker on one Redis and one Postgres, with one unit, and
// some who want it and ask as they are told.
type trio struct {
	t     *testing.T
	sale  saleFile
	sales string
	edges []*server
	work  *server
	roots *x509.CertPool
	sight []*sight // at each edge
	got   chan win // whoever gets the unit
}

// win is a unit that somebody got.
type win struct {
	at          time.Time
	reservation string
	payBefore   time.Time
}

// openTrio opens a trio whose sale has been open for a minute, on whatever Redis an
// address names.
func openTrio(t *testing.T, address string, sale saleFile) *trio {
	t.Helper()
	dir := t.TempDir()
	sale.opens, sale.open = time.Now().Add(-time.Minute).Truncate(time.Second), time.Hour
	r := &trio{t: t, sale: sale, sales: filepath.Join(dir, "sales"), roots: x509.NewCertPool(), got: make(chan win, 100)}
	r.sale.write(t, r.sales)
	o := operator{
		name: "worker", sales: r.sales, origin: "http://127.0.0.1:1", limits: "off, device: off, account: off, block: off",
		redis: address, postgres: testserver.StartPostgres(t).URL,
	}
	r.work = newWorker(t, filepath.Join(dir, "worker"), o)
	shop := httptest.NewServer(storefront.New(storefront.Options{Worker: "http://" + r.work.address, Token: workerToken}))
	t.Cleanup(shop.Close)
	o.origin, o.worker = shop.URL, r.work.address
	var all sync.WaitGroup
	all.Go(func() { r.work.start(t) })
	for i := range 3 {
		e := newEdge(t, filepath.Join(dir, fmt.Sprintf("edge-%d", i)), o)
		r.edges = append(r.edges, e)
		all.Go(func() { e.start(t) })
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, e := range r.edges {
		e.trust(t, r.roots)
	}
	return r
}

// sight is what one edge says to somebody who is called and buys nothing, and since
// when.
type sight struct {
	mu    sync.Mutex
	state string
	since time.Time
	last  map[string]time.Time // when it began to say each
}

func (s *sight) see(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != state {
		s.state, s.since = state, time.Now()
		s.last[state] = s.since
	}
}

// await waits until the edge says a state, or has begun to since an instant, and
// returns when it began to.
func (s *sight) await(ctx context.Context, from time.Time, state string) (time.Time, bool) {
	for {
		s.mu.Lock()
		now, since, last := s.state, s.since, s.last[state]
		s.mu.Unlock()
		if now == state {
			return since, true
		}
		if last.After(from) {
			return last, true
		}
		if !pause(ctx, time.Millisecond) {
			return time.Time{}, false
		}
	}
}

// watch asks an edge all the time where somebody stands.
func (r *trio) watch(ctx context.Context, b *browser, edge *server, s *sight) {
	for pause(ctx, 10*time.Millisecond) {
		if a, err := b.ask(ctx, edge.address, http.MethodGet, own("me"), "", nil); err == nil {
			s.see(a.State)
		}
	}
}

// want asks an edge as it is told to, and buys when it is told that it can.
func (r *trio) want(ctx context.Context, b *browser, edge *server) {
	for ctx.Err() == nil {
		a, err := b.ask(ctx, edge.address, http.MethodGet, own("me"), "", nil)
		if err == nil && (a.State == "called" || a.State == "admitted") {
			bought, err := b.ask(ctx, edge.address, http.MethodPost, buyPath, uuid.NewString(), struct{}{})
			if err == nil && bought.code == http.StatusCreated {
				r.got <- win{time.Now(), bought.Reservation, time.UnixMilli(bought.PayBefore)}
			}
			continue
		}
		if !pause(ctx, time.Duration(a.PollMS)*time.Millisecond) {
			return
		}
	}
}

// come lets somebody enter at an edge.
func (r *trio) come(ctx context.Context, name string, edge *server) *browser {
	r.t.Helper()
	b := newBrowser(r.roots, name, true)
	r.t.Cleanup(b.close)
	if a, err := b.ask(ctx, edge.address, http.MethodPost, own("ticket"), "", struct{}{}); err != nil || a.code != http.StatusCreated {
		r.t.Fatalf("ticket: %+v, %v", a, err)
	}
	return b
}

// send lets so many come, and somebody watch each edge.
func (r *trio) send(ctx context.Context, all *sync.WaitGroup, wanting int) {
	r.t.Helper()
	for i, edge := range r.edges {
		b, s := r.come(ctx, fmt.Sprintf("watcher-%d", i), edge), &sight{last: map[string]time.Time{}}
		r.sight = append(r.sight, s)
		all.Go(func() { r.watch(ctx, b, edge, s) })
	}
	for _, s := range r.sight {
		if _, ok := s.await(ctx, time.Time{}, "called"); !ok {
			r.t.Fatal("nobody is called")
		}
	}
	for i := range wanting {
		edge := r.edges[i%len(r.edges)]
		b := r.come(ctx, fmt.Sprintf("shopper-%d", i), edge)
		all.Go(func() { r.want(ctx, b, edge) })
	}
}

// cancel gives a reservation up, and returns when it did.
func (r *trio) cancel(w win) (done time.Time) {
	r.t.Helper()
	address := "http://" + r.work.address + "/v1/orders/" + w.reservation + "/cancel"
	eventually(r.t, "the order is cancelled", func() bool { // it may be on its way to the books
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, address, strings.NewReader("{}"))
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+workerToken)
		if done.IsZero() {
			done = time.Now()
		}
		res, err := asker.Do(req)
		if err != nil {
			return false // it may be done all the same
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusNotFound {
			done = time.Time{}
		}
		return res.StatusCode == http.StatusOK
	})
	return done
}

// restock writes that there is one more.
func (r *trio) restock(win) time.Time {
	r.t.Helper()
	r.sale.stock++
	r.sale.write(r.t, r.sales)
	return time.Now()
}

// spans are how long something took each time.
type spans []time.Duration

func (s spans) String() string {
	sorted := slices.Sorted(slices.Values(s))
	if len(sorted) == 0 {
		return "never"
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
	return fmt.Sprintf("%s, %s, %s (least, median, most of %d)", ms(sorted[0]), ms(s.median()), ms(sorted[len(sorted)-1]), len(sorted))
}

func (s spans) median() time.Duration { return slices.Sorted(slices.Values(s))[len(s)/2] }

// within holds nine in ten to a bound: a machine that has other things to do besides
// is late now and then.
func (s spans) within(t *testing.T, what string, bound time.Duration) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(s))
	if len(sorted) == 0 {
		t.Errorf("%s: never", what)
	} else if sorted[(len(sorted)-1)*9/10] > bound {
		t.Errorf("%s after %v; want nine in ten within %v", what, s, bound)
	}
}

const (
	lapsesAfter = time.Second            // what the books wait after pay_before
	wellKnown   = 250 * time.Millisecond // until every edge says that all are gone
	backAgain   = 2 * time.Second        // until the next in line has what came back
)

// TestAUnitComesBack: the last unit is taken at one of three edges, and all say so;
// it comes back, whichever way, every edge says that, and the next in line, who asks
// as told, has it. What is told of holds is added up: a run says how long all took.
func TestAUnitComesBack(t *testing.T) {
	r := openTrio(t, testserver.StartRedis(t).URL, saleFile{stock: 1, rate: 200, burst: 200, hold: 2 * time.Second})
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(3+rounds()/3)*patience)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	r.send(ctx, &all, 3)

	var known, open, next spans
	w := r.next(ctx)
	again := func(name string, back func(*trio, win) time.Time) {
		gone := r.since(ctx, w.at, "sold_out")
		from := back(r, w)
		seen := make(chan spans, 1)
		look, end := context.WithCancel(ctx)
		all.Go(func() { seen <- r.since(look, from, "called") })
		w = r.next(ctx)
		end() // an edge that has not seen it by now may never
		known, open, next = append(known, gone...), append(open, <-seen...), append(next, w.at.Sub(from))
		t.Logf("none left after %v; %s: an edge knows after %v, the next in line has it after %v",
			gone, name, open[max(0, len(open)-3):], next[len(next)-1])
	}
	for range rounds() {
		again("a hold lapses", func(_ *trio, w win) time.Time { return w.payBefore.Add(lapsesAfter) })
		again("an order is cancelled", (*trio).cancel)
	}
	again("there is one more", (*trio).restock)
	t.Logf("a unit is taken until an edge says that none is left: %v", known)
	t.Logf("one comes back until an edge says so: %v", open)
	t.Logf("one comes back until the next in line has it: %v", next)
	known.within(t, "an edge says that none is left", wellKnown)
	next.within(t, "the next in line has what came back", backAgain)
}

func rounds() int {
	if long() {
		return 20
	}
	return 3
}

// next waits until somebody gets a unit.
func (r *trio) next(ctx context.Context) win {
	r.t.Helper()
	select {
	case w := <-r.got:
		return w
	case <-ctx.Done():
		r.t.Fatal("nobody gets the unit")
		return win{}
	}
}

// since is how long after an instant each edge began to say a state. One that did not
// say it before ctx ended is left out.
func (r *trio) since(ctx context.Context, from time.Time, state string) (all spans) {
	for _, s := range r.sight {
		if at, ok := s.await(ctx, from, state); ok {
			all = append(all, max(0, at.Sub(from)))
		}
	}
	return all
}
