package e2e_test

import (
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/balance"
	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

// These are the lines by which the files of the programs differ.
const (
	right = "buckets: 3\nprice: 19.90 EUR\n"
	other = "buckets: 4\nprice: 29.90 EUR\ninvitations: 5\n"
)

// overrules counts the lines that say that a file is overruled.
func (s *server) overrules() int {
	return strings.Count(s.Log(), "file overruled by what is in force of an open sale")
}

// page is what an address of plain HTTP answers.
func page(t *testing.T, url string) string {
	t.Helper()
	res, err := asker.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	if err := res.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestTermsHoldOverRestarts: what is fixed while a sale is open stays, also against
// programs that start with other files. They go on with what is in force, and say so.
func TestTermsHoldOverRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	redisServer, postgres := testserver.StartRedis(t), testserver.StartPostgres(t)
	rdb := redis.NewClient(&redis.Options{Addr: redisServer.Addr, MaxRetries: -1})
	t.Cleanup(func() { rdb.Close() })
	db := balance.Open(t, postgres.URL)

	sale := saleFile{opens: time.Now().Add(-time.Minute).Truncate(time.Second), open: time.Hour, stock: 30, rate: 100, burst: 100, hold: 10 * time.Minute}
	later := sale // the same sale with another opening
	later.opens = later.opens.Add(time.Hour)
	put := func(who string, sale saleFile, more string) string {
		return writeFile(t, filepath.Join(dir, who+"-sales", "sale.yaml"), sale.text()+more)
	}
	for who, s := range map[string]saleFile{"a": sale, "b": sale, "edge": sale} {
		put(who, s, right)
	}
	o := operator{origin: "http://127.0.0.1:1", redis: redisServer.URL, postgres: postgres.URL}
	named := func(who string) operator { o := o; o.name, o.sales = who, filepath.Join(dir, who+"-sales"); return o }
	a, b := newWorker(t, filepath.Join(dir, "a"), named("a")), newWorker(t, filepath.Join(dir, "b"), named("b"))
	shop := httptest.NewServer(storefront.New(storefront.Options{Worker: "http://" + b.address, Token: workerToken}))
	t.Cleanup(shop.Close)
	front := named("edge")
	front.origin = shop.URL
	h := &house{t: t, sale: sale, roots: x509.NewCertPool()}
	h.server = newEdge(t, filepath.Join(dir, "edge"), front)
	a.start(t)
	h.open()
	if got := len(h.shop(0, 4)); got != 4 {
		t.Fatalf("%d of 4 got one", got)
	}
	look := func() gate.Snapshot {
		t.Helper()
		snap, err := gate.New(rdb, saleID, 3).Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	epoch := look().Mark.Epoch

	// A second worker with another file, beside the first and then alone.
	put("b", sale, other)
	b.start(t)
	eventually(t, "the file is said to be overruled", func() bool { return b.overrules() == 1 })
	for _, want := range []string{
		"buckets: 4, but the sale goes on with 3 until it closes at", "change it back to 3",
		"price: 29.90 EUR, but the sale goes on with 19.90 EUR until it closes at", "change it back to 19.90 EUR",
		"invitations: 5, but the sale goes on with not there", "leave it out", "b-sales/sale.yaml:14:",
	} {
		if !strings.Contains(b.Log(), want) {
			t.Errorf("not in the log: %q", want)
		}
	}
	pause(t.Context(), 4*time.Second) // as long as two take to fight
	if snap := look(); !snap.Open() || snap.Mark.Epoch != epoch {
		t.Errorf("the gate was rebuilt: %+v, want epoch %d", snap, epoch)
	}
	a.Kill()
	eventually(t, "the metrics name both keys", func() bool {
		text := page(t, "http://"+b.address+"/metrics")
		return strings.Contains(text, `waitroom_file_overruled{key="price",sale="golden-toy"} 1`) &&
			strings.Contains(text, `waitroom_file_overruled{key="buckets",sale="golden-toy"} 1`)
	})

	// An edge that is restarted with other buckets and another opening.
	h.Kill()
	put("edge", later, other)
	h.open()
	if got := len(h.shop(4, 8)); got != 4 {
		t.Errorf("%d of 4 got one at an edge with another file", got)
	}
	if s := h.status(); s.Opens != sale.opens.UnixMilli() {
		t.Errorf("the edge says that the sale opens at %d, want %d", s.Opens, sale.opens.UnixMilli())
	}
	if !answers(h.ready) || h.overrules() != 1 || !strings.Contains(h.Log(), "opens: "+later.opens.UTC().Format("2006-01-02 15:04:05")+", but the sale goes on with") {
		t.Errorf("the edge is ready: %v, and said %d times that its file is overruled; want once, with the opening", answers(h.ready), h.overrules())
	}
	admin := strings.TrimSuffix(h.ready, "/readyz")
	if text := page(t, admin+"/metrics"); !strings.Contains(text, `waitroom_file_overruled{key="opens",sale="golden-toy"} 1`) {
		t.Error("the edge's metrics do not name the opening")
	}
	eventually(t, "all are orders, at the price in force", func() bool {
		return balance.Count(t, db, `SELECT COUNT(*) FROM sale_orders WHERE price = 19.90 AND currency = 'EUR'`) == 8 &&
			balance.Count(t, db, `SELECT COUNT(*) FROM sale_orders`) == 8
	})

	// What commands say of it.
	if got := run(t, "orderworker", "reconcile", "--config", b.config); got.code != 0 ||
		!strings.Contains(got.out, "books and gate agree") || !strings.Contains(got.out, "buckets: 4, but the sale goes on with 3") {
		t.Errorf("reconcile: exit %d, said %s%s", got.code, got.out, got.errors)
	}
	if got := run(t, "waitroom", "check", "--connect", b.config); got.code != 2 || !strings.Contains(got.errors, "sale.yaml:14:10: buckets: 4, but the sale goes on with 3") {
		t.Errorf("check: exit %d, said %s%s", got.code, got.out, got.errors)
	}
	if got := run(t, "waitroom", "check", "--connect", a.config); got.code == 2 {
		t.Errorf("check of the right file: exit %d, said %s%s", got.code, got.out, got.errors)
	}

	// Another key of a file that is overruled may change, and the file put back is taken.
	more := sale
	more.stock++
	put("b", more, other)
	eventually(t, "one more unit is left", func() bool { return h.status().StockLeft == 23 })
	put("b", more, right)
	put("edge", more, right)
	for _, s := range []string{"http://" + b.address, admin} {
		eventually(t, "nothing is overruled", func() bool { return !strings.Contains(page(t, s+"/metrics"), "waitroom_file_overruled{") })
	}
	if strings.Contains(b.Log()+h.Log(), "configuration refused") {
		t.Error("the file put back was refused")
	}
	if got := len(h.shop(8, 10)); got != 2 {
		t.Errorf("%d of 2 got one after all that", got)
	}
	if snap := look(); !snap.Open() || snap.Mark.Epoch != epoch {
		t.Errorf("the gate was rebuilt: %+v, want epoch %d", snap, epoch)
	}

	// A program that finds the sale in no file says so, and a change of name is one.
	b.Kill()
	if err := os.Remove(filepath.Join(dir, "b-sales", "sale.yaml")); err != nil {
		t.Fatal(err)
	}
	b.start(t)
	eventually(t, "the sale is said to be in no file", func() bool {
		return strings.Contains(b.Log(), fmt.Sprintf(`sale \"%s\" is open until`, saleID))
	})
}

// TestTermsHoldOverRestarts_Embedded: the same of a program that embeds its stores.
func TestTermsHoldOverRestarts_Embedded(t *testing.T) {
	t.Parallel()
	h := openHouse(t, 10)
	h.Kill()
	path := writeFile(t, filepath.Join(h.sales, "sale.yaml"), h.sale.text()+"price: 29.90 EUR\nbuckets: 4\n")
	h.open()
	if h.overrules() != 1 || !answers(h.ready) || !strings.Contains(h.Log(), "price: 29.90 EUR, but the sale goes on with not there") {
		t.Errorf("said %d times that the file is overruled, want once", h.overrules())
	}
	if got := len(h.shop(0, 3)); got != 3 {
		t.Errorf("%d of 3 got one", got)
	}
	if got := run(t, "waitroom", "check", "--connect", h.config); got.code != 2 || !strings.Contains(got.errors, "buckets: 4, but the sale goes on with 1") {
		t.Errorf("check: exit %d, said %s%s", got.code, got.out, got.errors)
	}
	writeFile(t, path, h.sale.text())
	eventually(t, "the file put back is taken", func() bool { return strings.Contains(h.Log(), "configuration changed") })
	if got := len(h.shop(3, 5)); got != 2 {
		t.Errorf("%d of 2 got one", got)
	}
}
