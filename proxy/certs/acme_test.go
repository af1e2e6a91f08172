package certs_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

const (
	long    = 90 * 24 * time.Hour
	patient = 40 * time.Second // an order takes one or two, with other work beside it
)

// What certmagic knows of orders it knows by domain in the whole process, so every
// test has domains of its own.

// TestFirstIssue: a certificate is ordered and served, by either challenge, with
// both kinds of storage, and is there at once when a program starts again while
// the issuer is away.
func TestFirstIssue(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"TLS-ALPN-01": false, "HTTP-01": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop := strings.ToLower(name) + ".example.com"
			issuer := testserver.Pebble(t, long)
			p := plot{cfg: ordering(t, issuer, shop)}
			p.cfg.DataDir = dataDir(t)
			if plain {
				p.cfg.Listen = configs.Listen{HTTP: issuer.HTTP} // nobody answers where TLS is proved
				p.rdb = testserver.EdgeClient(t, testserver.Redis(t))
			}
			s := play(t, p)
			until(t, "a certificate", patient, func() bool { return s.peer(shop) != nil })
			if err := s.peer(shop).VerifyHostname(shop); err != nil {
				t.Error(err)
			}
			if got := s.peer("other.example.com"); got != nil {
				t.Errorf("a stranger's name got %v", got.DNSNames)
			}
			most := 1
			if plain {
				most = 2 // the challenge that nobody answers may come first
			}
			if got := issuer.Orders(); got > most {
				t.Errorf("%d orders, want %d at most", got, most)
			}
			if at := s.metric("waitroom_certificate_expires_timestamp_seconds", shop); at < float64(time.Now().Add(long-time.Hour).Unix()) {
				t.Errorf("it expires at %v, by the metric", at)
			}
			if err := s.Ready(); err != nil {
				t.Error(err)
			}

			s.stop()
			issuer.Judge(func(*http.Request) testserver.Mood { return testserver.Mood{Hang: true} })
			began := time.Now()
			again := play(t, p)
			until(t, "the stored certificate", 5*time.Second, func() bool { return again.peer(shop) != nil })
			t.Logf("served %v after the start", time.Since(began))
		})
	}
}

// TestRenewal: a certificate is renewed before its end, and no handshake fails on
// the way.
func TestRenewal(t *testing.T) {
	t.Parallel()
	const domain = "renewed.example.com"
	issuer := testserver.Pebble(t, 15*time.Second)
	s := play(t, plot{cfg: ordering(t, issuer, domain), rdb: testserver.EdgeClient(t, testserver.Redis(t))})
	until(t, "a certificate", patient, func() bool { return s.peer(domain) != nil })
	first := s.peer(domain)
	var last *x509.Certificate
	until(t, "another certificate", 30*time.Second, func() bool {
		last = s.peer(domain)
		return last == nil || !last.Equal(first)
	})
	switch {
	case last == nil:
		t.Error("nothing is served while it is renewed")
	case time.Now().After(first.NotAfter):
		t.Errorf("renewed at %v, it was over at %v", time.Now(), first.NotAfter)
	case issuer.Orders() != 2:
		t.Errorf("%d orders, want 2", issuer.Orders())
	}
}

// lie puts a certificate of an age into the storage, as if the issuer had made it.
func lie(t *testing.T, rdb redis.UniversalClient, directory *url.URL, domain string, left time.Duration) *x509.Certificate {
	t.Helper()
	chain, key := pairOf(t, ecKey(t), time.Now().Add(left-90*24*time.Hour), time.Now().Add(left), domain)
	from := (&certmagic.ACMEIssuer{CA: directory.String()}).IssuerKey()
	v := vault(t, rdb, time.Minute, secret)
	keys := certmagic.StorageKeys
	must(t, v.Store(t.Context(), keys.SiteCert(from, domain), chain))
	must(t, v.Store(t.Context(), keys.SitePrivateKey(from, domain), key))
	must(t, v.Store(t.Context(), keys.SiteMeta(from, domain), fmt.Appendf(nil, `{"sans":[%q],"issuer_data":null}`, domain)))
	return leafOf(t, chain)
}

// troubles are what an issuer may have.
var troubles = map[string]func(*http.Request) testserver.Mood{
	"refuses": func(*http.Request) testserver.Mood { return testserver.Mood{Status: http.StatusForbidden} },
	"limits": func(*http.Request) testserver.Mood {
		return testserver.Mood{Status: http.StatusTooManyRequests, Retry: time.Hour}
	},
	"breaks": func(*http.Request) testserver.Mood { return testserver.Mood{Status: http.StatusInternalServerError} },
	"hangs":  func(*http.Request) testserver.Mood { return testserver.Mood{Hang: true} },
	"away":   nil,
}

// TestTroubles: whatever the issuer does, what is stored is served at once, as long
// as it is all there is; metric and log tell well before the end.
func TestTroubles(t *testing.T) {
	t.Parallel()
	issuer := testserver.Pebble(t, long)
	rdb := testserver.EdgeClient(t, testserver.Redis(t))
	for trouble, judge := range troubles {
		for age, left := range map[string]time.Duration{"20-days": 20 * 24 * time.Hour, "1-day": 24 * time.Hour, "over": -time.Hour} {
			t.Run(trouble+"/"+age, func(t *testing.T) {
				domain := trouble + "-" + age + ".example.com"
				cfg := ordering(t, issuer, domain)
				cfg.Listen = configs.Listen{}
				issuer.Judge(judge)
				if judge == nil {
					cfg.TLS.CA = &url.URL{Scheme: "https", Host: testserver.FreeAddress(t), Path: "/dir"}
				}
				want := lie(t, rdb, cfg.TLS.CA, domain, left)
				began := time.Now()
				s := play(t, plot{cfg: cfg, rdb: rdb})
				until(t, "what is stored", 3*time.Second, func() bool { got := s.peer(domain); return got != nil && got.Equal(want) })
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("served after %v", took)
				}
				if err := s.Ready(); err != nil {
					t.Error(err)
				}
				until(t, "a warning", 3*time.Second, func() bool { return s.said.FilterMessage("certificate runs out").Len() == 1 })
				if got := s.metric("waitroom_certificate_expires_timestamp_seconds", domain); got != float64(want.NotAfter.Unix()) {
					t.Errorf("it runs out at %v, by the metric, want %v", got, want.NotAfter.Unix())
				}
				if trouble != "hangs" {
					until(t, "an order in vain", patient, func() bool { return s.metric("waitroom_certificate_orders_failed_total", domain) == 1 })
				}
				if got := s.peer(domain); got == nil || !got.Equal(want) {
					t.Errorf("it is not served any more")
				}
				began = time.Now()
				s.stop()
				if took := time.Since(began); took > 7*time.Second {
					t.Errorf("stopped after %v", took)
				}
				if got := rdb.HLen(t.Context(), certs.LocksKey).Val(); got != 0 {
					t.Errorf("%d locks are held after the end", got)
				}
			})
		}
	}
}

// TestPause: after an order that failed no edge orders before the pause is over,
// whichever failed, and however often one is started.
func TestPause(t *testing.T) {
	t.Parallel()
	const domain = "paused.example.com"
	issuer := testserver.Pebble(t, long)
	issuer.Judge(func(r *http.Request) testserver.Mood {
		if r.URL.Path != "/order-plz" {
			return testserver.Mood{}
		}
		return testserver.Mood{Status: http.StatusTooManyRequests, Retry: time.Hour}
	})
	rdb := testserver.EdgeClient(t, testserver.Redis(t))
	cfg := ordering(t, issuer, domain)
	s := play(t, plot{cfg: cfg, rdb: rdb})
	until(t, "an order in vain", patient, func() bool { return s.metric("waitroom_certificate_orders_failed_total", domain) == 1 })
	s.stop()
	orders := issuer.Orders()
	for range 3 {
		again := play(t, plot{cfg: cfg, rdb: rdb})
		until(t, "five attempts that wait", patient, func() bool { return again.said.FilterMessage("order waits").Len() >= 5 })
		if err := again.Ready(); err != nil {
			t.Error(err) // it may be what the issuer asks
		}
		again.stop()
	}
	if got := issuer.Orders(); got != orders {
		t.Errorf("%d orders while there is a pause, want none", got-orders)
	}
}

// TestRootRead: a file of who vouches for the issuer that holds somebody else by now
// is read again with the configuration that names it still.
func TestRootRead(t *testing.T) {
	t.Parallel()
	const domain = "root.example.com"
	issuer, other := testserver.Pebble(t, long), testserver.Pebble(t, long)
	cfg := ordering(t, issuer, domain)
	cfg.TLS.CARoot = filepath.Join(t.TempDir(), "root.pem")
	lay := func(from string) {
		pem, err := os.ReadFile(from)
		must(t, err)
		must(t, os.WriteFile(cfg.TLS.CARoot, pem, 0o600))
	}
	lay(other.Root)
	cfg.DataDir, cfg.Secrets = dataDir(t), []configs.Secret{configs.NewSecret(secret)}
	s := play(t, plot{cfg: cfg, idle: true})
	lay(issuer.Root)
	must(t, s.Apply(&cfg))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) })
	defer running.Wait()
	defer cancel()
	until(t, "a certificate", patient, func() bool { return s.peer(domain) != nil })
}

// TestRedisAway: an edge that has certificates serves them on without Redis; one
// that starts without it is not ready, and has them once Redis is there.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	const domain = "away.example.com"
	issuer := testserver.Pebble(t, long)
	server := testserver.StartRedis(t)
	relay := testserver.NewRelay(t, server.Addr)
	rdb := testserver.EdgeClient(t, "redis://"+relay.Addr)
	cfg := ordering(t, issuer, domain)
	s := play(t, plot{cfg: cfg, rdb: rdb})
	until(t, "a certificate", patient, func() bool { return s.peer(domain) != nil })
	server.Pause() // which is worse than to be gone
	cfg.Listen = configs.Listen{}
	late := play(t, plot{cfg: cfg, rdb: rdb})
	for range 20 {
		began := time.Now()
		if s.peer(domain) == nil {
			t.Error("not served without Redis")
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("a handshake took %v", took)
		}
	}
	if late.Ready() == nil {
		t.Error("an edge is ready that knows of no certificate")
	}
	server.Resume()
	until(t, "what is stored", 20*time.Second, func() bool { return late.peer(domain) != nil && late.Ready() == nil })
	if got := issuer.Orders(); got != 1 {
		t.Errorf("%d orders, want 1", got)
	}
}

// TestTorn: what was stored by halves, because who ordered it died, is ordered again
// by whoever starts next, and by one of those alone; what serves as it is, is served
// until then.
func TestTorn(t *testing.T) {
	t.Parallel()
	keys := certmagic.StorageKeys
	_, other := pairFor(t, ecKey(t), shop)
	for name, test := range map[string]struct {
		left   time.Duration // of what is stored
		tear   func(t *testing.T, v *certs.Vault, from, domain string)
		serves bool // what is stored
	}{
		"old-certificate": {20 * 24 * time.Hour, func(t *testing.T, v *certs.Vault, from, domain string) {
			must(t, v.Store(t.Context(), keys.SitePrivateKey(from, domain), other))
		}, false},
		"old-key": {89 * 24 * time.Hour, func(t *testing.T, v *certs.Vault, from, domain string) {
			must(t, v.Store(t.Context(), keys.SitePrivateKey(from, domain), other))
		}, false},
		"no-metadata": {89 * 24 * time.Hour, func(t *testing.T, v *certs.Vault, from, domain string) {
			must(t, v.Delete(t.Context(), keys.SiteMeta(from, domain)))
		}, true},
		"damaged-metadata": {-time.Hour, func(t *testing.T, v *certs.Vault, from, domain string) {
			must(t, v.Store(t.Context(), keys.SiteMeta(from, domain), []byte(`{"sans":`)))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			domain := name + ".example.com"
			issuer := testserver.Pebble(t, long)
			hold := make(chan struct{})
			issuer.Judge(func(*http.Request) testserver.Mood { <-hold; return testserver.Mood{} })
			rdb := testserver.EdgeClient(t, testserver.Redis(t))
			cfg := ordering(t, issuer, domain)
			torn := lie(t, rdb, cfg.TLS.CA, domain, test.left)
			test.tear(t, vault(t, rdb, time.Minute, secret), (&certmagic.ACMEIssuer{CA: issuer.Directory}).IssuerKey(), domain)
			one := play(t, plot{cfg: cfg, rdb: rdb})
			cfg.Listen = configs.Listen{}
			two := play(t, plot{cfg: cfg, rdb: rdb})
			if test.serves {
				until(t, "what is stored", 3*time.Second, func() bool { return torn.Equal(one.peer(domain)) && torn.Equal(two.peer(domain)) })
			}
			close(hold)
			until(t, "a whole certificate", patient, func() bool {
				a, b := one.peer(domain), two.peer(domain)
				return a != nil && a.Equal(b) && !a.Equal(torn)
			})
			if got := issuer.Orders(); got != 1 {
				t.Errorf("%d orders, want 1", got)
			}
		})
	}
}

// TestReadSoon: what could not be read is there soon after it can be, and not only
// when orders would be tried again.
func TestReadSoon(t *testing.T) {
	t.Parallel()
	const domain = "soon.example.com"
	issuer := testserver.Pebble(t, long)
	rdb := testserver.EdgeClient(t, testserver.Redis(t))
	must(t, rdb.Set(t.Context(), certs.FilesKey, "no hash", 0).Err())
	rhythm := certs.Fast().With(func(_, retry, _, _ *time.Duration) { *retry = time.Hour })
	cfg := ordering(t, issuer, domain)
	s := play(t, plot{cfg: cfg, rdb: rdb, rhythm: &rhythm})
	until(t, "a warning", 5*time.Second, func() bool { return s.said.FilterMessageSnippet("not in care yet").Len() == 1 })
	must(t, rdb.Del(t.Context(), certs.FilesKey).Err())
	want := lie(t, rdb, cfg.TLS.CA, domain, 80*24*time.Hour)
	until(t, "what is stored", 5*time.Second, func() bool { return want.Equal(s.peer(domain)) })
}

// TestApplied: domains come and go while others are served on.
func TestApplied(t *testing.T) {
	t.Parallel()
	issuer := testserver.Pebble(t, long)
	cfg := ordering(t, issuer, "first.example.com")
	s := play(t, plot{cfg: cfg, rdb: testserver.EdgeClient(t, testserver.Redis(t))})
	cfg.Secrets, cfg.Listen.HTTPS = []configs.Secret{configs.NewSecret(secret)}, s.https
	until(t, "the first", patient, func() bool { return s.peer("first.example.com") != nil })
	was := s.peer("first.example.com")
	must(t, s.Apply(&cfg)) // the same
	more := cfg
	more.TLS.Domains = []string{"first.example.com", "second.example.com"}
	must(t, s.Apply(&more))
	if got := s.peer("first.example.com"); got == nil || !got.Equal(was) {
		t.Error("the first is not served on")
	}
	until(t, "the second", patient, func() bool { return s.peer("second.example.com") != nil })
	broken := more
	broken.TLS.CARoot = "nowhere.pem"
	if err := s.Apply(&broken); err == nil || !strings.HasPrefix(err.Error(), "tls.ca_root: ") {
		t.Errorf("got %v, want a fault of tls.ca_root", err)
	}
	less := more
	less.TLS.Domains = []string{"second.example.com"}
	must(t, s.Apply(&less))
	if s.peer("first.example.com") != nil || s.peer("second.example.com") == nil {
		t.Error("the first is served still, or the second no more")
	}
	if got := s.metric("waitroom_certificate_expires_timestamp_seconds", "first.example.com"); got != -1 {
		t.Errorf("the first has a metric still: %v", got)
	}
}
