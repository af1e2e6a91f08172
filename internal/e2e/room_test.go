package e2e_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// entrance is an origin that notes when each shopper came in first.
type entrance struct {
	mu    sync.Mutex
	first map[string]time.Time // by account
}

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	account, _ := r.Cookie("session")
	if account != nil && e.first[account.Value].IsZero() {
		e.first[account.Value] = time.Now()
	}
	_, _ = io.WriteString(w, "the shop")
}

// most is how many came in within any time of a length.
func (e *entrance) most(length time.Duration) (most int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, from := range e.first {
		n := 0
		for _, at := range e.first {
			if !at.Before(from) && at.Before(from.Add(length)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestRoom: a crowd above the level waits under the address that it asked for and
// comes in at the rate; then the room is as if it were not there.
func TestRoom(t *testing.T) {
	t.Parallel()
	const crowd, rate, burst = 80, 10, 5
	shop := &entrance{first: map[string]time.Time{}}
	origin := httptest.NewServer(shop)
	t.Cleanup(origin.Close)
	dir, roots := t.TempDir(), x509.NewCertPool()
	sales := filepath.Join(dir, "sales")
	writeFile(t, filepath.Join(sales, "shop.yaml"), fmt.Sprintf(
		"sale: whole-shop\ntitle: The shop\nroom: /\nadmit: %d/s\nburst: %d\nmax_active: 1000\n", rate, burst))
	edge := newEdge(t, filepath.Join(dir, "edge"), operator{name: "room", origin: origin.URL, sales: sales})
	edge.start(t)
	edge.trust(t, roots)

	watch := newBrowser(roots, "watch", true)
	defer watch.close()
	status := func() (s struct {
		Armed  bool
		Active int
	}) {
		body, _, err := watch.open(t.Context(), edge.address, "/.waitroom/whole-shop/status")
		if err != nil || json.Unmarshal([]byte(body), &s) != nil {
			t.Errorf("status: %q, %v", body, err)
		}
		return s
	}
	eventually(t, "the bucket is full", func() bool {
		return answers(edge.ready) && pause(t.Context(), time.Second)
	})

	begun := time.Now()
	waited := make([]int, crowd)
	var group sync.WaitGroup
	for i := range crowd {
		group.Go(func() { waited[i] = comeIn(t, newBrowser(roots, fmt.Sprintf("shopper-%d", i), i%2 == 0), edge.address) })
	}
	eventually(t, "the room is armed", func() bool { return status().Armed })
	group.Wait()
	took := time.Since(begun)
	if least := time.Duration(crowd-burst) * time.Second / rate; took < least-time.Second/rate {
		t.Errorf("%d came in within %v, want %v at least", crowd, took, least)
	}
	// A pass is given a moment before its shopper reaches the shop.
	if most := shop.most(time.Second); most > burst+rate+rate/2 {
		t.Errorf("%d came in within a second, want about %d", most, burst+rate)
	}
	if got := len(shop.first); got != crowd {
		t.Errorf("%d reached the shop, want %d", got, crowd)
	}
	atOnce := 0
	for _, n := range waited {
		if n == 0 {
			atOnce++
		}
	}
	if atOnce == 0 || atOnce > burst+rate {
		t.Errorf("%d did not wait, want some and at most %d", atOnce, burst+rate)
	}

	eventually(t, "the line has gone", func() bool { s := status(); return !s.Armed && s.Active == crowd })
	if n := comeIn(t, newBrowser(roots, "latecomer", true), edge.address); n != 0 {
		t.Errorf("who came afterwards waited %d times", n)
	}
	eventually(t, "the log says so", func() bool { return strings.Contains(edge.Log(), `"room disarmed"`) })
	for _, message := range []string{`"room armed"`, `"room disarmed"`} {
		if n := strings.Count(edge.Log(), message); n != 1 {
			t.Errorf("the log says %d times %s", n, message)
		}
	}
}

// comeIn opens a page until it is the shop's, and returns how often it was not.
func comeIn(t *testing.T, b *browser, edge string) (waited int) {
	defer b.close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		body, code, err := b.open(ctx, edge, "/shoes?size=42")
		switch {
		case err != nil:
			t.Errorf("after %d times: %v", waited, err)
			return waited
		case code == http.StatusOK && body == "the shop":
			return waited
		case code != http.StatusOK || !strings.Contains(body, `data-page="waiting"`) && !strings.Contains(body, `data-page="near"`):
			t.Errorf("got %d %.200s, want the shop or the waiting page", code, body)
		}
		waited++
		if !pause(ctx, 300*time.Millisecond) {
			t.Errorf("still waits after %d times", waited)
			return waited
		}
	}
}

// open opens a page as a person does.
func (b *browser) open(ctx context.Context, edge, path string) (body string, code int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+edge+path, nil)
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := b.client.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer res.Body.Close()
	b.keep(res.Cookies())
	raw, err := io.ReadAll(res.Body)
	return string(raw), res.StatusCode, err
}
