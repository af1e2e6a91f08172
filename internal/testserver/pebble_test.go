package testserver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestPebble: the issuer is one, names itself as it is reached, and does as it is
// told.
func TestPebble(t *testing.T) {
	t.Parallel()
	issuer := testserver.Pebble(t, time.Hour)
	pem, err := os.ReadFile(issuer.Root)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
	get := func(limit time.Duration) (*http.Response, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		t.Cleanup(cancel)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, issuer.Directory, nil)
		if err != nil {
			t.Fatal(err)
		}
		return client.Do(req)
	}

	res, err := get(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var directory map[string]any
	if err := json.NewDecoder(res.Body).Decode(&directory); err != nil {
		t.Fatal(err)
	}
	order, _ := directory["newOrder"].(string)
	if base := strings.TrimSuffix(issuer.Directory, "dir"); order != base+"order-plz" {
		t.Errorf("orders go to %q, want them at %s", order, base)
	}

	issuer.Judge(func(*http.Request) testserver.Mood {
		return testserver.Mood{Status: http.StatusTooManyRequests, Retry: time.Minute}
	})
	limited, err := get(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = limited.Body.Close() }()
	if limited.StatusCode != http.StatusTooManyRequests || limited.Header.Get("Retry-After") != "60" {
		t.Errorf("got %d, Retry-After %q; want 429 and 60", limited.StatusCode, limited.Header.Get("Retry-After"))
	}

	issuer.Judge(func(*http.Request) testserver.Mood { return testserver.Mood{Hang: true} })
	if hung, err := get(200 * time.Millisecond); err == nil {
		_ = hung.Body.Close()
		t.Errorf("answered with %d, want nothing", hung.StatusCode)
	}
	if asked, orders := issuer.Asked(), issuer.Orders(); asked != 3 || orders != 0 {
		t.Errorf("%d requests and %d orders, want 3 and 0", asked, orders)
	}
}
