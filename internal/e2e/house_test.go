package e2e_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

// house is one embedded edge with a shop behind it and an open sale.
type house struct {
	*server
	t     *testing.T
	sale  saleFile
	sales string // folder of the sale file
	roots *x509.CertPool
}

// slowPage is how long its shop takes for /slow.
const slowPage = 8 * time.Second

// openHouse starts an embedded edge whose sale has been open for a minute.
func openHouse(t *testing.T, stock int) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t, sales: filepath.Join(dir, "sales"), roots: x509.NewCertPool(), sale: saleFile{
		opens: time.Now().Add(-time.Minute).Truncate(time.Second), open: time.Hour,
		stock: stock, rate: 100, burst: 100, hold: 10 * time.Minute,
	}}
	h.sale.write(t, h.sales)
	worker := testserver.FreeAddress(t)
	mux := http.NewServeMux()
	mux.Handle("/", storefront.New(storefront.Options{Worker: "http://" + worker, Token: workerToken}))
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { pause(r.Context(), slowPage) })
	shop := httptest.NewServer(mux)
	t.Cleanup(shop.Close)
	h.server = newEdge(t, filepath.Join(dir, "edge"), operator{name: "embedded", origin: shop.URL, worker: worker, sales: h.sales})
	h.open()
	return h
}

// open starts the edge and waits until its sale goes on.
func (h *house) open() {
	h.t.Helper()
	if err := h.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.trust(h.t, h.roots)
	eventually(h.t, "the sale is open or all are held", func() bool {
		s := h.status().State
		return s == "open" || s == "all_held"
	})
}

// status is the shared document.
func (h *house) status() answer {
	h.t.Helper()
	b := newBrowser(h.roots, "", false)
	defer b.close()
	return h.ask(b, http.MethodGet, own("status"), "", nil)
}

func (h *house) ask(b *browser, method, path, key string, body any) answer {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	a, err := b.ask(ctx, h.address, method, path, key, body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// shop sends one shopper after the other and returns the browsers of those that
// got a unit. The others must have been told no.
func (h *house) shop(from, to int) (winners []*browser) {
	h.t.Helper()
	for i := from; i < to; i++ {
		b := newBrowser(h.roots, fmt.Sprintf("account-%d", i), false)
		h.t.Cleanup(b.close)
		switch a := h.buy(b); {
		case a.code == http.StatusCreated:
			winners = append(winners, b)
		case a.code != http.StatusConflict || a.Status != "sold_out":
			h.t.Errorf("shopper %d was told %+v, want yes or sold out", i, a)
		}
	}
	return winners
}

// buy presses until there is a yes or a no.
func (h *house) buy(b *browser) (a answer) {
	h.t.Helper()
	eventually(h.t, "a buy is decided", func() bool {
		a = h.ask(b, http.MethodPost, buyPath, "", struct{}{})
		return a.code != http.StatusTooManyRequests && a.code != http.StatusServiceUnavailable || !pause(h.t.Context(), 300*time.Millisecond)
	})
	return a
}
