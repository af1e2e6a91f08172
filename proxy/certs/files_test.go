package certs_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/certs"
)

// pairFor signs a certificate for names with a key of its kind: chain and key.
func pairFor(t *testing.T, key any, names ...string) (chain, secret []byte) {
	t.Helper()
	return pairOf(t, key, time.Now().Add(-time.Hour), time.Now().Add(1000*time.Hour), names...)
}

func pairOf(t *testing.T, key any, from, to time.Time, names ...string) (chain, secret []byte) {
	t.Helper()
	public := any(nil)
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		public = &k.PublicKey
	case *rsa.PrivateKey:
		public = &k.PublicKey
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: names, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, c, c, public, key)
	must(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

func leafOf(t *testing.T, chain []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(chain)
	c, err := x509.ParseCertificate(block.Bytes)
	must(t, err)
	return c
}

func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return k
}

// write puts a new pair into a folder.
func write(t *testing.T, dir string, names ...string) configs.Certificate {
	t.Helper()
	chain, key := pairFor(t, ecKey(t), names...)
	return lay(t, dir, chain, key)
}

func lay(t *testing.T, dir string, chain, key []byte) configs.Certificate {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	c := configs.Certificate{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	must(t, os.WriteFile(c.Cert, chain, 0o600))
	must(t, os.WriteFile(c.Key, key, 0o600))
	return c
}

func fromFiles(domains []string, pairs ...configs.Certificate) configs.Config {
	return configs.Config{TLS: configs.TLS{Mode: configs.TLSFiles, Domains: domains, Files: pairs}}
}

// serial tells certificates apart; empty: refused.
func (s *stand) serial(name string) string {
	if c := s.peer(name); c != nil {
		return c.SerialNumber.String()
	}
	return ""
}

// TestFiles_Reloaded: a pair that is renewed is served soon, in whatever way it
// comes; what does not fit leaves the last one in force, with one warning.
func TestFiles_Reloaded(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(t *testing.T, dir string){
		"written over": func(t *testing.T, dir string) { write(t, dir, shop) },
		"renamed over": func(t *testing.T, dir string) {
			c := write(t, t.TempDir(), shop)
			must(t, os.Rename(c.Key, filepath.Join(dir, "tls.key")))
			must(t, os.Rename(c.Cert, filepath.Join(dir, "tls.crt")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := play(t, plot{cfg: fromFiles([]string{shop}, write(t, dir, shop))})
			first := s.serial(shop)
			replace(t, dir)
			until(t, "the new pair", 10*time.Second, func() bool { got := s.serial(shop); return got != "" && got != first })
			second := s.serial(shop)
			in, err := os.ReadFile(filepath.Join(dir, "tls.crt"))
			must(t, err)

			must(t, os.WriteFile(filepath.Join(dir, "tls.crt"), []byte("half"), 0o600))
			until(t, "a warning", 10*time.Second, func() bool { return s.said.FilterMessageSnippet("not read again").Len() == 1 })
			must(t, os.WriteFile(filepath.Join(dir, "tls.crt"), []byte("half"), 0o600))
			time.Sleep(300 * time.Millisecond) // of nothing happening
			if got := s.said.FilterMessageSnippet("not read again").Len(); got != 1 || s.serial(shop) != second {
				t.Errorf("%d warnings, served as before: %t; want 1 and true", got, s.serial(shop) == second)
			}
			must(t, os.WriteFile(filepath.Join(dir, "tls.crt"), in, 0o600))
			until(t, "a word that it is well again", 10*time.Second, func() bool { return s.said.FilterMessage("certificates read again, they are those in use").Len() == 1 })
			replace(t, dir)
			until(t, "the third pair", 10*time.Second, func() bool { got := s.serial(shop); return got != "" && got != second })
		})
	}
}

// TestFiles_Links: the ways in which Kubernetes and certbot swap links show.
func TestFiles_Links(t *testing.T) {
	t.Parallel()
	link := func(t *testing.T, to, name string) {
		must(t, os.Symlink(to, name+".new"))
		must(t, os.Rename(name+".new", name))
	}
	t.Run("Kubernetes", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir() // tls.crt -> ..data/tls.crt, ..data -> ..1
		write(t, filepath.Join(dir, "..1"), shop)
		link(t, "..1", filepath.Join(dir, "..data"))
		link(t, "..data/tls.crt", filepath.Join(dir, "tls.crt"))
		link(t, "..data/tls.key", filepath.Join(dir, "tls.key"))
		s := play(t, plot{cfg: fromFiles([]string{shop}, configs.Certificate{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")})})
		for _, next := range []string{"..2", "..3"} {
			was := s.serial(shop)
			write(t, filepath.Join(dir, next), shop)
			link(t, next, filepath.Join(dir, "..data"))
			until(t, "what "+next+" holds", 10*time.Second, func() bool { got := s.serial(shop); return got != "" && got != was })
		}
	})
	t.Run("certbot", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir() // live/shop/fullchain.pem -> ../../archive/shop/1/tls.crt
		live := filepath.Join(root, "live", shop)
		must(t, os.MkdirAll(live, 0o700))
		c := configs.Certificate{Cert: filepath.Join(live, "fullchain.pem"), Key: filepath.Join(live, "privkey.pem")}
		renew := func(n string) {
			write(t, filepath.Join(root, "archive", n), shop)
			link(t, "../../archive/"+n+"/tls.key", c.Key)
			link(t, "../../archive/"+n+"/tls.crt", c.Cert)
		}
		renew("1")
		s := play(t, plot{cfg: fromFiles([]string{shop}, c)})
		was := s.serial(shop)
		renew("2")
		until(t, "the second", 10*time.Second, func() bool { got := s.serial(shop); return got != "" && got != was })
	})
}

// TestFiles_Chosen: among several pairs the one that names the host, by itself or
// by a wildcard, and that the client can use; without a name the first.
func TestFiles_Chosen(t *testing.T) {
	t.Parallel()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	dir := t.TempDir()
	first := write(t, filepath.Join(dir, "1"), "www.example.org", "*.example.com")
	exact := write(t, filepath.Join(dir, "2"), "Shop.example.com")
	chain, key := pairFor(t, rsaKey, "www.example.org")
	old := lay(t, filepath.Join(dir, "3"), chain, key)
	s := play(t, plot{cfg: fromFiles([]string{"www.example.org", "*.example.com", "bare.example.net"}, first, exact, old)})
	of := func(c configs.Certificate) string {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		must(t, err)
		return pair.Leaf.SerialNumber.String()
	}
	for name, want := range map[string]string{
		shop: of(exact), "SHOP.EXAMPLE.COM": of(exact), "a.example.com": of(first), "www.example.org": of(first),
		"": of(first), "bare.example.net": of(first), "a.b.example.com": "", "example.com": "", "www.example.net": "",
	} {
		if got := s.serial(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	onlyRSA := &tls.Config{ServerName: "www.example.org", MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}}
	if got, err := s.dial(onlyRSA); err != nil || got.PeerCertificates[0].SerialNumber.String() != of(old) {
		t.Errorf("a client that knows RSA alone: %v", err)
	}
	if got := s.said.FilterMessageSnippet("no certificate of tls.files").Len(); got != 1 {
		t.Errorf("%d warnings of the domain without a pair, want 1", got)
	}
}

// TestFiles_Applied: files that cannot be read change nothing and are named.
func TestFiles_Applied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := fromFiles([]string{shop}, write(t, dir, shop))
	s := play(t, plot{cfg: cfg})
	was := s.serial(shop)
	cfg.Secrets = []configs.Secret{configs.NewSecret(secret)}
	cfg.TLS.Files = []configs.Certificate{{Cert: filepath.Join(dir, "gone.crt"), Key: filepath.Join(dir, "tls.key")}}
	if err := s.Apply(&cfg); err == nil || !strings.HasPrefix(err.Error(), "tls.files: "+cfg.TLS.Files[0].Cert) {
		t.Errorf("got %v, want a fault that names the file", err)
	}
	if got := s.serial(shop); got != was {
		t.Errorf("served %q, want %q as before", got, was)
	}
	cfg.TLS = configs.TLS{Mode: configs.TLSInternal}
	cfg.DataDir = filepath.Join(dir, "data")
	must(t, s.Apply(&cfg))
	if got := s.serial("localhost"); got == was || got == "" {
		t.Errorf("after another mode: %q", got)
	}
	time.Sleep(50 * time.Millisecond) // for the old source to be heard, if it were
	if got := s.serial("localhost"); got == was {
		t.Error("the old mode is served again")
	}
}

// TestFiles_Odd: what is no file, or larger than any certificate, is a fault that
// names it, at the start and later; nobody waits for it, at the end neither.
func TestFiles_Odd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		put  func(t *testing.T, name string)
		says string
	}{
		"pipe":   {func(t *testing.T, name string) { must(t, syscall.Mkfifo(name, 0o600)) }, "is not a regular file"},
		"folder": {func(t *testing.T, name string) { must(t, os.Mkdir(name, 0o700)) }, "is not a regular file"},
		"large": {func(t *testing.T, name string) {
			must(t, os.WriteFile(name, nil, 0o600))
			must(t, os.Truncate(name, 1<<20+1))
		}, "is larger than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := write(t, dir, shop)
			s := play(t, plot{cfg: fromFiles([]string{shop}, c)})
			was := s.serial(shop)
			must(t, os.Remove(c.Key))
			test.put(t, c.Key)
			until(t, "a warning", 5*time.Second, func() bool { return s.said.FilterMessageSnippet("not read again").Len() >= 1 })
			lines := s.said.FilterMessageSnippet("not read again").All()
			if got, _ := lines[len(lines)-1].ContextMap()["error"].(string); got != "tls.files: "+c.Key+": "+test.says {
				t.Errorf("it says %q", got)
			}
			if got := s.serial(shop); got != was {
				t.Errorf("served %q, want %q as before", got, was)
			}
			cfg := fromFiles([]string{shop}, c)
			if _, err := certs.New(&cfg, nil, prometheus.NewRegistry(), zap.NewNop()); err == nil || !strings.HasSuffix(err.Error(), test.says) {
				t.Errorf("at the start: %v", err)
			}
			must(t, os.Remove(c.Key))
			write(t, dir, shop)
			until(t, "the new pair", 5*time.Second, func() bool { got := s.serial(shop); return got != "" && got != was })
			began := time.Now()
			s.stop()
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("stopped after %v", took)
			}
		})
	}
}
