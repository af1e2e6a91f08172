package wiring_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestEdge_ACME: an edge that is started as an operator does orders its certificate,
// proves its domain at its own doors, and serves it over HTTP/2; the plain door
// goes on sending people to HTTPS.
func TestEdge_ACME(t *testing.T) {
	t.Parallel()
	issuer := testserver.Pebble(t, 90*24*time.Hour)
	dir := t.TempDir()
	write(t, dir, "", "golden")
	save(t, filepath.Join(dir, "waitroom.yaml"), fmt.Sprintf(`tls: {mode: acme, domains: [wired.example.com], ca: '%s', ca_root: '%s'}
listen: {https: '%s', http: '%s', admin: '127.0.0.1:0'}
origin: {url: 'http://127.0.0.1:1'}
data_dir: data
secret: 'the-secret-of-these-tests, 32 bytes or more'
sales: ['sales/*.yaml']
worker: {listen: '127.0.0.1:0', token: '%s'}
`, issuer.Directory, issuer.Root, issuer.TLS, issuer.HTTP, token))
	cfg, err := wiring.Load(filepath.Join(dir, "waitroom.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	edge, err := wiring.NewEdge(t.Context(), cfg, math.MaxUint64, 0, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- edge.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("got %v from Run, want nil", err)
		}
	}()

	spoken := ""
	for late := time.Now().Add(time.Minute); spoken == ""; time.Sleep(50 * time.Millisecond) {
		c, err := tls.Dial("tcp", issuer.TLS, &tls.Config{ServerName: "wired.example.com", NextProtos: []string{"h2"}, InsecureSkipVerify: true}) //nolint:gosec // Pebble's root is not known
		if err == nil {
			spoken = c.ConnectionState().NegotiatedProtocol
			if err := c.ConnectionState().PeerCertificates[0].VerifyHostname("wired.example.com"); err != nil {
				t.Error(err)
			}
			_ = c.Close()
		} else if time.Now().After(late) {
			t.Fatal(err)
		}
	}
	if spoken != "h2" {
		t.Errorf("%q is spoken, want h2", spoken)
	}
	for late := time.Now().Add(10 * time.Second); status(t, "http://"+edge.AdminAddr().String()+"/readyz") != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("it is not ready")
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+issuer.HTTP+"/.well-known/acme-challenge/x", nil)
	req.Host = "wired.example.com"
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusMovedPermanently {
		t.Errorf("a challenge that nobody set: %d, want it sent to HTTPS", res.StatusCode)
	}
}
