package certs_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

// TestStrangers: names that are not ours are refused by their own alert, order
// nothing, leave nothing behind and cost the store nothing; ours goes on.
func TestStrangers(t *testing.T) {
	t.Parallel()
	const shop, www = "strangers.example.com", "www.strangers.example.com"
	issuer := testserver.Pebble(t, long)
	p := plot{cfg: ordering(t, issuer, shop, www), rdb: testserver.EdgeClient(t, testserver.Redis(t))}
	s := play(t, p)
	until(t, "both certificates", patient, func() bool { return s.peer(shop) != nil && s.peer(www) != nil })
	orders := issuer.Orders()
	count := func() int64 {
		n, err := p.rdb.HLen(t.Context(), certs.FilesKey).Result()
		must(t, err)
		return n
	}
	files, goroutines := count(), runtime.NumGoroutine()

	names := []string{"a." + shop, "example.com", "x" + shop, "localhost", "*.example.com",
		strings.Repeat("a", 60) + strings.Repeat("."+strings.Repeat("b", 59), 4), "sh\x00p.example.com", shop + ".evil.org"}
	for i := range 200 {
		names = append(names, strings.Repeat("x", 1+i%40)+string(rune('a'+i%26))+".example.com")
	}
	for _, name := range names {
		_, err := s.dial(&tls.Config{ServerName: name})
		if err == nil || !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("%q: %v, want the alert unrecognized_name", name, err)
		}
		// The issuer's own way of asking finds nothing, either.
		if _, err := s.dial(&tls.Config{ServerName: name, NextProtos: []string{"acme-tls/1"}}); err == nil {
			t.Errorf("%q: a proof was given", name)
		}
	}
	for _, ours := range []string{shop, strings.ToUpper(shop), www} {
		if c := s.peer(ours); c == nil || c.VerifyHostname(ours) != nil {
			t.Errorf("%q is not served", ours)
		}
	}
	for _, none := range []string{"", "127.0.0.1", "::1"} { // the first domain's, as documented
		if c := s.peer(none); c == nil || c.VerifyHostname(shop) != nil {
			t.Errorf("%q does not get the certificate of the first domain", none)
		}
	}
	if got := issuer.Orders(); got != orders {
		t.Errorf("%d orders, want %d as before", got, orders)
	}
	if got := count(); got != files {
		t.Errorf("%d stored values, want %d as before", got, files)
	}
	if got := runtime.NumGoroutine(); got > goroutines+50 {
		t.Errorf("%d goroutines, %d before", got, goroutines)
	}
}

// TestInternal: whoever asks, by whatever name, gets the certificate of our CA.
func TestInternal(t *testing.T) {
	t.Parallel()
	cfg := configs.Config{DataDir: filepath.Join(t.TempDir(), "data"), TLS: configs.TLS{Mode: configs.TLSInternal, Domains: []string{shop}}}
	s := play(t, plot{cfg: cfg})
	for _, name := range []string{"", "127.0.0.1", "localhost", shop, "other.example.com"} {
		c := s.peer(name)
		if c == nil {
			t.Fatalf("%q is refused", name)
		}
		for _, fit := range []string{shop, "localhost", "127.0.0.1", "::1"} {
			if err := c.VerifyHostname(fit); err != nil {
				t.Error(err)
			}
		}
	}
	ca, err := os.ReadFile(filepath.Join(cfg.DataDir, certs.InternalCA))
	must(t, err)
	s.stop()
	again := play(t, plot{cfg: cfg})
	if got, _ := os.ReadFile(filepath.Join(cfg.DataDir, certs.InternalCA)); string(got) != string(ca) {
		t.Error("the second start made another CA")
	}
	key := filepath.Join(cfg.DataDir, "internal-ca.key")
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the CA's key: %v, %v; want 0600", info.Mode(), err)
	}
	must(t, os.WriteFile(key, []byte("broken"), 0o600))
	cfg.Secrets = []configs.Secret{configs.NewSecret(secret)}
	if again.Apply(&cfg) == nil {
		t.Error("a broken CA is silently replaced")
	}
	if again.peer(shop) == nil {
		t.Error("after a configuration that cannot be applied nothing is served")
	}
}
