package storefront_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/internal/demo/storefront"
)

// client follows no redirect, so that each answer is seen as it is.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func open(t *testing.T, o storefront.Options) (*storefront.Shop, string) {
	t.Helper()
	shop := storefront.New(o)
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	return shop, server.URL
}

func post(t *testing.T, target string, form url.Values) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func get(t *testing.T, target string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(t, req)
}

func TestShop_ProductPageCanBeCached(t *testing.T) {
	t.Parallel()
	shop, base := open(t, storefront.Options{})
	res, body := get(t, base+storefront.ProductPath)
	if res.StatusCode != http.StatusOK || !strings.Contains(body, `action="`+storefront.BuyPath+`"`) {
		t.Fatalf("got %d and %q, want the page with its button", res.StatusCode, body)
	}
	if got := res.Header.Get("Cache-Control"); got != "public, max-age=5" {
		t.Errorf("Cache-Control: got %q", got)
	}
	res, body = get(t, base+storefront.ProductPath, "If-None-Match", res.Header.Get("ETag"))
	if res.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("same tag: got %d and %d bytes, want 304 and none", res.StatusCode, len(body))
	}
	if got := shop.Requests(); got != 2 {
		t.Errorf("requests: got %d, want 2", got)
	}
}

func TestShop_LoginIsOneSessionAName(t *testing.T) {
	t.Parallel()
	_, base := open(t, storefront.Options{})
	session := func(name string) string {
		res, _ := post(t, base+"/login", url.Values{"name": {name}, "password": {"x"}})
		if res.StatusCode != http.StatusSeeOther {
			t.Fatalf("login %q: got %d, want 303", name, res.StatusCode)
		}
		for _, c := range res.Cookies() {
			if c.Name == "session" {
				return c.Value
			}
		}
		t.Fatalf("login %q: no session cookie", name)
		return ""
	}
	if session("ann") != session(" Ann ") {
		t.Error("ann has two sessions on two devices, want one")
	}
	if session("ann") == session("bob") {
		t.Error("ann and bob share a session")
	}
	if res, _ := post(t, base+"/login", url.Values{}); res.StatusCode != http.StatusBadRequest {
		t.Errorf("no name: got %d, want 400", res.StatusCode)
	}
}

func TestShop_PaysOnceHoweverOftenPressed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	payments := map[string]int{}
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/v1/orders/r-1/paid" {
			http.NotFound(w, r)
			return
		}
		var body struct {
			PaymentID string `json:"payment_id"`
			Amount    string `json:"amount"`
			Currency  string `json:"currency"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		defer mu.Unlock()
		payments[body.PaymentID]++
		if body.Amount != "49.00" || body.Currency != "EUR" {
			t.Errorf("reported %q %q, want what the page says, 49.00 EUR", body.Amount, body.Currency)
		}
		io.WriteString(w, `{"status":"paid"}`)
	}))
	t.Cleanup(worker.Close)
	_, base := open(t, storefront.Options{Worker: worker.URL, Token: "secret"})

	if res, body := get(t, base+"/checkout?reservation=r-1"); res.StatusCode != http.StatusOK || !strings.Contains(body, `value="r-1"`) {
		t.Errorf("checkout: got %d and %q", res.StatusCode, body)
	}
	for range 2 {
		if res, body := post(t, base+storefront.PayPath, url.Values{"reservation": {"r-1"}}); res.StatusCode != http.StatusOK || !strings.Contains(body, `"paid"`) {
			t.Errorf("pay: got %d %q, want 200 paid", res.StatusCode, body)
		}
	}
	if len(payments) != 1 {
		t.Errorf("payments: got %v, want one name", payments)
	}
	for _, test := range []struct {
		reservation string
		want        int
	}{
		{"r-2", http.StatusNotFound},
		{"", http.StatusBadRequest},
		{"../../sales/golden-toy/reconcile", http.StatusBadRequest},
	} {
		if res, _ := post(t, base+storefront.PayPath, url.Values{"reservation": {test.reservation}}); res.StatusCode != test.want {
			t.Errorf("pay %q: got %d, want %d", test.reservation, res.StatusCode, test.want)
		}
	}
}

func TestShop_WorkerAwayIsNoPayment(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	_, base := open(t, storefront.Options{Worker: gone.URL})
	if res, body := post(t, base+storefront.PayPath, url.Values{"reservation": {"r-1"}}); res.StatusCode != http.StatusBadGateway || strings.Contains(body, gone.URL) {
		t.Errorf("got %d %q, want 502 that does not name the worker", res.StatusCode, body)
	}
}

func TestShop_BehindWaitroomSellsNothingItself(t *testing.T) {
	t.Parallel()
	_, base := open(t, storefront.Options{})
	if res, _ := post(t, base+storefront.BuyPath, nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("got %d, want 403", res.StatusCode)
	}
}
