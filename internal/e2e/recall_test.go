package e2e_test

import (
	"context"
	"crypto/x509"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/internal/balance"
	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

// crowdOf is how many stand in line for the few units of a queue.
const crowdOf = 300

// added is the stock after there is more.
const added = 80

// queue is two edges and a worker on one Redis and one Postgres, with few units and
// many who want one.
type queue struct {
	t     *testing.T
	sale  saleFile
	sales string
	edges []*server
	db    *sql.DB
	all   []*hoper // by place, once there are places
}

// hoper is one of those who stand in line, and what they were told so far.
type hoper struct {
	*browser
	edge        int
	last        answer
	shed        int // how often they were told that it is hopeless
	back        int // and how often, that it is not
	reservation string
}

func openQueue(t *testing.T, stock int) *queue {
	t.Helper()
	dir := t.TempDir()
	postgres := testserver.StartPostgres(t)
	q := &queue{t: t, sales: filepath.Join(dir, "sales"), db: balance.Open(t, postgres.URL), sale: saleFile{
		opens: time.Now().Add(25 * time.Second).Truncate(time.Second), open: time.Hour,
		stock: stock, rate: 2, burst: 30, hold: 4 * time.Second,
	}}
	q.write()
	o := operator{
		name: "worker", sales: q.sales, origin: "http://127.0.0.1:1", limits: "off, device: off, account: off",
		redis: testserver.StartRedis(t).URL, postgres: postgres.URL,
	}
	work := newWorker(t, filepath.Join(dir, "worker"), o)
	shop := httptest.NewServer(storefront.New(storefront.Options{Worker: "http://" + work.address, Token: workerToken}))
	t.Cleanup(shop.Close)
	o.origin, o.worker = shop.URL, work.address
	roots := x509.NewCertPool()
	work.start(t)
	for i := range 2 {
		e := newEdge(t, filepath.Join(dir, fmt.Sprintf("edge-%d", i)), o)
		e.start(t)
		e.trust(t, roots)
		q.edges = append(q.edges, e)
	}
	q.join(roots)
	return q
}

// write is the sale of the queue: all are expected to buy.
func (q *queue) write() {
	writeFile(q.t, filepath.Join(q.sales, "sale.yaml"), q.sale.text()+"conversion: 100%\nshed: {certainty: 0.99}\n")
}

// join lets the crowd in. Few of them have a connection of their own.
func (q *queue) join(roots *x509.CertPool) {
	q.t.Helper()
	var clients []*http.Client
	for range 8 {
		b := newBrowser(roots, "", false)
		q.t.Cleanup(b.close)
		clients = append(clients, b.client)
	}
	for i := range crowdOf {
		b := &browser{client: clients[i%len(clients)], cookies: map[string]string{"session": fmt.Sprintf("hoper-%d", i)}}
		q.all = append(q.all, &hoper{browser: b, edge: i % len(q.edges)})
	}
	q.each(func(h *hoper) {
		if a := q.ask(h, http.MethodPost, own("ticket"), struct{}{}); a.code != http.StatusCreated {
			q.t.Errorf("ticket: %+v", a)
		}
	})
	pause(q.t.Context(), time.Until(q.sale.opens))
	placed := func(h *hoper) bool { return h.last.Place != nil }
	eventually(q.t, "both edges know of the draw", func() bool { return q.look() && q.count(placed) == crowdOf })
	slices.SortFunc(q.all, func(a, b *hoper) int { return int(*a.last.Place) - int(*b.last.Place) })
}

// each does something for everybody in line, for some at a time.
func (q *queue) each(do func(*hoper)) {
	work := make(chan *hoper)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for h := range work {
				do(h)
			}
		})
	}
	for _, h := range q.all {
		work <- h
	}
	close(work)
	all.Wait()
}

// ask is zero where the edge is away.
func (q *queue) ask(h *hoper, method, path string, body any) answer {
	ctx, cancel := context.WithTimeout(q.t.Context(), patience)
	defer cancel()
	a, err := h.ask(ctx, q.edges[h.edge].address, method, path, uuid.NewString(), body)
	if err != nil {
		h.edge = (h.edge + 1) % len(q.edges)
		return answer{}
	}
	return a
}

// look asks everybody's standing and notes what changes.
func (q *queue) look() bool {
	q.each(func(h *hoper) {
		a := q.ask(h, http.MethodGet, own("me"), nil)
		was, now := h.last.State == "hopeless", a.State == "hopeless"
		switch {
		case a.State == "":
			return
		case now && !was:
			h.shed++
		case was && (a.State == "waiting" || a.State == "called" || a.State == "sold_out" && a.Held > 0):
			h.back++
		}
		if now && (a.Odds != "small" || a.Held+a.StockLeft > q.sale.stock || a.Held+a.StockLeft == 0) {
			q.t.Errorf("place %d is told hopeless with odds %q, %d left and %d held", *a.Place, a.Odds, a.StockLeft, a.Held)
		}
		h.last = a
	})
	return true
}

// count says of how many something is so.
func (q *queue) count(so func(*hoper) bool) (n int) {
	for _, h := range q.all {
		if so(h) {
			n++
		}
	}
	return n
}

func hopeless(h *hoper) bool { return h.last.State == "hopeless" }

// buy lets those buy who were called and want to, and pay if they do.
func (q *queue) buy(wants func(*hoper) bool, pay bool) {
	for _, h := range q.all {
		if h.last.State != "called" && h.last.State != "admitted" || h.reservation != "" || !wants(h) {
			continue
		}
		a := q.ask(h, http.MethodPost, buyPath, struct{}{})
		if a.code != http.StatusCreated {
			continue
		}
		h.reservation = a.Reservation
		if !pay {
			continue
		}
		eventually(q.t, "the payment is taken", func() bool {
			a := q.ask(h, http.MethodPost, "/checkout/pay", map[string]string{"reservation": h.reservation})
			return a.code == http.StatusOK || a.code == http.StatusAccepted
		})
	}
}

// TestHopelessAreCalledBack: of three hundred in line for three units, those at its
// end are told so at once, by both edges alike, also by one that was just started.
// When the holds of the first lapse and there is more stock, the next are called back
// in the order of the draw, and buy; all are sold, and nobody is told back and forth.
func TestHopelessAreCalledBack(t *testing.T) {
	t.Parallel()
	q := openQueue(t, 3)
	eventually(t, "the last are told", func() bool { return q.look() && hopeless(q.all[crowdOf-1]) })
	q.look() // whoever was asked before they were
	first := slices.IndexFunc(q.all, hopeless)
	if first < 0 || crowdOf-first < 20 {
		t.Fatalf("hopeless from place %d, want 20 of %d at least", first, crowdOf)
	}
	t.Logf("hopeless from place %d of %d", first, crowdOf)
	inOrder := func(when string) {
		t.Helper()
		for i, h := range q.all {
			if hopeless(h) != (i >= first) {
				t.Fatalf("%s: place %d is told %s, and hopeless is who is from %d on", when, i, h.last.State, first)
			}
		}
	}
	inOrder("after the draw")

	// Nobody's word changes with an edge that begins anew, nor while units are sold.
	q.edges[1].Kill()
	q.look()
	q.edges[1].start(t)
	for _, h := range q.all {
		h.edge = 1
	}
	inOrder("at the edge that has begun anew")
	got := func() int { return q.count(func(h *hoper) bool { return h.reservation != "" }) }
	eventually(t, "the first three have one", func() bool {
		q.buy(func(*hoper) bool { return got() < 3 }, false)
		return q.look() && got() == 3
	})
	inOrder("while all are held")
	eventually(t, "the holds have lapsed", func() bool {
		return q.look() && q.count(func(h *hoper) bool { return h.last.State == "called" }) > 3
	})

	// Three of three were not paid, and so many are added that everybody has a chance:
	// who was told is called back.
	q.sale.stock = added
	q.write()
	eventually(t, "the next are called back", func() bool {
		return q.look() && q.count(func(h *hoper) bool { return h.back > 0 }) >= 15
	})
	q.look() // whoever was asked before it changed
	second := slices.IndexFunc(q.all, hopeless)
	if second < 0 {
		second = crowdOf
	}
	for i, h := range q.all {
		if want := i >= first && !hopeless(h); (h.back > 0) != want || hopeless(h) != (i >= second) {
			t.Errorf("place %d was called back %d times; called back are %d to %d", i, h.back, first, second)
		}
	}
	t.Logf("called back up to place %d", second)

	// Of those before them nobody wants one any more.
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	calledBack := func(h *hoper) bool { return h.back > 0 }
	for got() < 3+added && pause(ctx, 300*time.Millisecond) {
		q.buy(calledBack, true)
		q.look()
	}
	eventually(t, "all are told that all are sold", func() bool {
		return q.look() && q.count(func(h *hoper) bool { return h.last.State == "sold_out" || h.last.State == "held" }) == crowdOf
	})
	if sold := balance.Count(t, q.db, "SELECT count(*) FROM sale_orders WHERE status = 'PAID'"); sold != added {
		t.Errorf("%d are sold, want %d", sold, added)
	}
	again := q.count(func(h *hoper) bool { return h.shed > 1 })
	t.Logf("told hopeless %d, called back %d, told again %d", q.count(func(h *hoper) bool { return h.shed > 0 }), q.count(calledBack), again)
	for i, h := range q.all {
		if h.shed > 2 || h.back > 1 {
			t.Errorf("place %d was told hopeless %d times and called back %d times", i, h.shed, h.back)
		}
	}
}
