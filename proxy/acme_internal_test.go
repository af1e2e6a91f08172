package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestACME orders a certificate from a real ACME server, which here believes
// that every name is ours, and serves it.
func TestACME(t *testing.T) {
	t.Parallel()
	cfg := &configs.Config{DataDir: dataDir(t), TLS: configs.TLS{
		Mode: configs.TLSACME, Domains: []string{"shop.example.com"}, Email: "ops@example.org",
	}}
	a := newACME(cfg, startPebble(t), zap.NewNop())
	if got := challengeOf(a.challenges(http.NotFoundHandler())); got != http.StatusNotFound {
		t.Errorf("a challenge that was not set: %d, want it passed on", got)
	}
	addr := serveACME(t, a)
	until := time.Now().Add(time.Minute)
	for time.Now().Before(until) {
		if cert := peerOfHandshake(addr, "shop.example.com"); cert != nil {
			if err := cert.VerifyHostname("shop.example.com"); err != nil {
				t.Error(err)
			}
			if stranger := peerOfHandshake(addr, "other.example.com"); stranger != nil {
				t.Errorf("a stranger's name got %v", stranger.DNSNames)
			}
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			return
		}
	}
	t.Error("no certificate was issued")
}

// TestACME_IssuerAway: an issuer that is down neither stops nor delays the start.
func TestACME_IssuerAway(t *testing.T) {
	t.Parallel()
	cfg := &configs.Config{DataDir: dataDir(t), TLS: configs.TLS{Mode: configs.TLSACME, Domains: []string{"shop.example.com"}}}
	a := newACME(cfg, authority{directory: "https://" + testserver.FreeAddress(t) + "/dir"}, zap.NewNop())
	addr := serveACME(t, a)
	if cert := peerOfHandshake(addr, "shop.example.com"); cert != nil {
		t.Errorf("served %v, want no certificate", cert.DNSNames)
	}
}

// dataDir is a folder into which certmagic may still write when the test is over:
// its attempts end on their own time.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "waitroom-acme-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// serveACME runs a and a TLS listener with its certificates until the test ends.
func serveACME(t *testing.T, a *acme) (addr string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = http.Serve(tls.NewListener(l, a.tlsConfig()), http.NotFoundHandler()) }()
	t.Cleanup(func() {
		_ = l.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func peerOfHandshake(addr, name string) *x509.Certificate {
	c, err := tls.Dial("tcp", addr, &tls.Config{ServerName: name, InsecureSkipVerify: true}) //nolint:gosec // the issuer is made up
	if err != nil {
		return nil
	}
	defer func() { _ = c.Close() }()
	return c.ConnectionState().PeerCertificates[0]
}

func challengeOf(h http.Handler) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://shop.example.com/.well-known/acme-challenge/x", nil))
	return w.Code
}

// startPebble builds and starts Pebble, pinned in internal/tools.
func startPebble(t *testing.T) authority {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "pebble")
	build := exec.Command("go", "build", "-modfile", "../internal/tools/go.mod", "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build pebble: %v\n%s", err, out)
	}
	certs, err := internalCertificates(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(certs[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	chain, keyFile := filepath.Join(dir, "pebble.pem"), filepath.Join(dir, "pebble.key")
	for name, block := range map[string][]byte{chain: certs[0].Certificate[0], keyFile: key} {
		kind := map[string]string{chain: "CERTIFICATE", keyFile: "PRIVATE KEY"}[name]
		if err := writePEM(name, kind, block, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := testserver.FreeAddress(t)
	config, _ := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": address, "managementListenAddress": testserver.FreeAddress(t),
		"certificate": chain, "privateKey": keyFile, "httpPort": 5002, "tlsPort": 5001,
		"profiles": map[string]any{"default": map[string]any{"description": "default", "validityPeriod": 86400}},
	}})
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-config", file)
	cmd.Env = append(os.Environ(), "PEBBLE_VA_ALWAYS_VALID=1", "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	roots := x509.NewCertPool()
	pem, err := os.ReadFile(filepath.Join(dir, InternalCA))
	if err != nil {
		t.Fatal(err)
	}
	roots.AppendCertsFromPEM(pem)
	return authority{directory: "https://" + address + "/dir", roots: roots}
}
