package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/configs"
)

// TestInternalCertificates: one CA, kept, whose certificate fits the domains.
func TestInternalCertificates(t *testing.T) {
	t.Parallel()
	cfg := &configs.Config{DataDir: filepath.Join(t.TempDir(), "data"), TLS: configs.TLS{Mode: configs.TLSInternal, Domains: []string{"shop.example.com"}}}
	var cas []string
	for range 2 {
		certs, err := loadCertificates(cfg)
		if err != nil {
			t.Fatal(err)
		}
		ca, err := os.ReadFile(filepath.Join(cfg.DataDir, InternalCA))
		if err != nil {
			t.Fatal(err)
		}
		cas = append(cas, string(ca))
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(ca)
		leaf, err := x509.ParseCertificate(certs[0].Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"shop.example.com", "localhost", "127.0.0.1", "::1"} {
			if _, err := leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: pool}); err != nil {
				t.Errorf("for %s: %v", name, err)
			}
		}
		if leaf.VerifyHostname("other.example.com") == nil {
			t.Error("the certificate is for other.example.com too")
		}
	}
	if cas[0] != cas[1] {
		t.Error("the second start made another CA")
	}
	if info, err := os.Stat(filepath.Join(cfg.DataDir, caKey)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the CA's key has mode %v, %v; want 0600", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(cfg.DataDir, caKey), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadCertificates(cfg); err == nil {
		t.Error("a broken CA is silently replaced")
	}
}

// TestFileCertificates: what is on disk is served; what cannot be read is named.
func TestFileCertificates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := pairIn(t, dir)
	cfg := &configs.Config{TLS: configs.TLS{Mode: configs.TLSFiles, Files: []configs.Certificate{file}}}
	certs, err := loadCertificates(cfg)
	if err != nil || len(certs) != 1 || tlsConfig(certs).MinVersion != tls.VersionTLS12 {
		t.Errorf("got %d certificates, %v; want one", len(certs), err)
	}
	cfg.TLS.Files[0].Cert = filepath.Join(dir, "gone.crt")
	if _, err := loadCertificates(cfg); err == nil || !strings.HasPrefix(err.Error(), "tls.files: "+cfg.TLS.Files[0].Cert) {
		t.Errorf("got %v, want a fault that names the file", err)
	}
}

// TestRenewing: a pair that was renewed on disk is served by and by, and one
// that cannot be read leaves the last one in force.
func TestRenewing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := &configs.Config{TLS: configs.TLS{Mode: configs.TLSFiles, Files: []configs.Certificate{pairIn(t, dir)}}}
	synctest.Test(t, func(t *testing.T) {
		core, said := observer.New(zap.WarnLevel)
		s := &Server{log: zap.New(core)}
		if err := s.Apply(cfg); err != nil {
			t.Fatal(err)
		}
		go func() { _ = s.renewing(t.Context()) }()
		served := func() string { return string(s.certs.Load().Certificates[0].Certificate[0]) }
		first := served()
		pairIn(t, dir)
		time.Sleep(certsEvery + time.Second)
		second := served()
		if second == first {
			t.Error("the old pair is served after the new one was written")
		}
		if err := os.WriteFile(cfg.TLS.Files[0].Cert, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(certsEvery)
		if got := said.Len(); served() != second || got != 1 {
			t.Errorf("a broken pair: served as before %t, %d warnings; want that and 1", served() == second, got)
		}
	})
}

// pairIn writes a new certificate and its key into a folder.
func pairIn(t *testing.T, dir string) configs.Certificate {
	t.Helper()
	made, err := internalCertificates(dir, []string{"shop.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(made[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	pair := configs.Certificate{Cert: filepath.Join(dir, "shop.crt"), Key: filepath.Join(dir, "shop.key")}
	write := func(name, kind string, der []byte) {
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(pair.Cert, "CERTIFICATE", made[0].Certificate[0])
	write(pair.Key, "PRIVATE KEY", key)
	return pair
}
