package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/configs"
)

const (
	acmeALPN = "acme-tls/1"                   // RFC 8737
	acmePath = "/.well-known/acme-challenge/" // RFC 8555, 8.3

	proofRate  = 20 // proofs a second that are looked for, whoever asks
	proofBurst = 100

	tidyEvery = 24 * time.Hour
)

// acme is the source of certificates that an ACME server issues (RFC 8555). What
// is stored is served at once; what is missing is ordered, and what runs out
// renewed, beside the serving. Accounts, certificates, proofs and locks lie in
// Redis, or in files of the data directory.
type acme struct {
	domains  []string
	template certmagic.ACMEIssuer
	storage  certmagic.Storage
	metrics  *metrics
	rhythm   rhythm
	log      *zap.Logger
	proofs   *rate.Limiter
	live     atomic.Pointer[live] // nil: not run

	mu       sync.Mutex
	served   map[string]*tls.Certificate
	answered map[string]bool // domains of which the storage has said what it has
	show     func(*set)
}

// live is what certmagic does for a source that runs.
type live struct {
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *issuer
}

// newACME does no I/O but to read ca_root. What is served for a domain already is
// served on until there is something better.
func newACME(cfg *configs.Config, rdb redis.UniversalClient, seal *sealer, served *set, m *metrics, r rhythm, log *zap.Logger) (*acme, error) {
	a := &acme{domains: cfg.TLS.Domains, metrics: m, rhythm: r, log: log.Named("acme"), proofs: rate.NewLimiter(proofRate, proofBurst),
		served: map[string]*tls.Certificate{}, answered: map[string]bool{}}
	var err error
	if a.template, err = issuerOf(cfg, a.log); err != nil {
		return nil, err
	}
	if rdb == nil {
		a.storage = &certmagic.FileStorage{Path: filepath.Join(cfg.DataDir, "acme")}
	} else {
		a.storage = newVault(rdb, seal, r.lease, a.log)
	}
	for _, d := range a.domains {
		m.failed.WithLabelValues(d) // from 0 on
		if served == nil || served.anybody {
			continue
		}
		if fit := served.named(d); len(fit) > 0 {
			a.served[d] = fit[0]
		}
	}
	return a, nil
}

// issuerOf is what a configuration says of the ACME server. Certmagic opens a
// listener for the proofs if nobody listens where it is told, so it is told where
// we do.
func issuerOf(cfg *configs.Config, log *zap.Logger) (certmagic.ACMEIssuer, error) {
	t := certmagic.ACMEIssuer{
		CA: certmagic.LetsEncryptProductionCA, TestCA: certmagic.LetsEncryptProductionCA,
		Email: cfg.TLS.Email, Agreed: true, Logger: log,
		DisableHTTPChallenge: cfg.Listen.HTTP == "",
	}
	if cfg.TLS.CA != nil {
		t.CA, t.TestCA = cfg.TLS.CA.String(), cfg.TLS.CA.String()
	}
	t.ListenHost, t.AltTLSALPNPort = place(cfg.Listen.HTTPS)
	if _, port := place(cfg.Listen.HTTP); port != 0 {
		t.AltHTTPPort = port
	}
	if cfg.TLS.CARoot == "" {
		return t, nil
	}
	pem, err := os.ReadFile(cfg.TLS.CARoot)
	if err != nil {
		return t, fmt.Errorf("tls.ca_root: %w", err)
	}
	t.TrustedRoots = x509.NewCertPool()
	if !t.TrustedRoots.AppendCertsFromPEM(pem) {
		return t, fmt.Errorf("tls.ca_root: %s: no certificate in it, name a PEM file that begins with -----BEGIN CERTIFICATE-----", cfg.TLS.CARoot)
	}
	return t, nil
}

func place(address string) (host string, port int) {
	host, text, _ := net.SplitHostPort(address)
	port, _ = strconv.Atoi(text)
	return host, port
}

// begin makes what certmagic needs, with a goroutine that [certmagic.Cache.Stop]
// ends.
func (a *acme) begin() *live {
	l := &live{}
	l.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return l.config, nil },
		RenewCheckInterval: a.rhythm.renew,
		Logger:             a.log,
	})
	l.config = certmagic.New(l.cache, certmagic.Config{
		RenewalWindowRatio: certmagic.DefaultRenewalWindowRatio,
		KeySource:          certmagic.DefaultKeyGenerator,
		Storage:            a.storage,
		Issuers:            []certmagic.Issuer{}, // ours, which needs the configuration
		Logger:             a.log,
	})
	l.issuer = &issuer{certmagic.NewACMEIssuer(l.config, a.template), a.storage, a.metrics.failed}
	l.config.Issuers = []certmagic.Issuer{l.issuer}
	return l
}

// run keeps certificates until ctx is done, and shows every new picture of them.
func (a *acme) run(ctx context.Context, show func(*set)) {
	a.mu.Lock()
	a.show = show
	a.mu.Unlock()
	l := a.begin()
	a.live.Store(l)
	var work sync.WaitGroup
	if v, ok := a.storage.(*vault); ok {
		work.Go(func() {
			if err := v.reseal(ctx); err != nil && ctx.Err() == nil {
				a.log.Warn("stored certificates not sealed anew, keep the old secret", zap.Error(err))
			}
		})
	}
	for _, d := range a.domains {
		work.Go(func() { a.keep(ctx, l, d) })
	}
	work.Go(func() { a.tidy(ctx) })
	for pause(ctx, a.rhythm.look) {
		a.look(l)
	}
	work.Wait()
	a.live.Store(nil)
	a.end(l)
}

// tidy throws old staples away, at one edge a day.
func (a *acme) tidy(ctx context.Context) {
	for pause(ctx, tidyEvery) {
		err := certmagic.CleanStorage(ctx, a.storage, certmagic.CleanStorageOptions{Interval: tidyEvery, OCSPStaples: true, Logger: a.log})
		if err != nil && ctx.Err() == nil {
			a.log.Warn("old staples not thrown away", zap.Error(err))
		}
	}
}

// end stops renewals and lets go of locks. Certmagic's look at what is to be
// renewed cannot be cut short while an issuer hangs; it is not waited for then.
func (a *acme) end(l *live) {
	ctx, cancel := context.WithTimeout(context.Background(), a.rhythm.stop)
	defer cancel()
	stopped := make(chan struct{})
	go func() { defer close(stopped); l.cache.Stop() }()
	select {
	case <-stopped:
	case <-ctx.Done():
	}
	if v, ok := a.storage.(*vault); ok {
		v.settle(ctx)
	}
}

// look shows what certmagic holds by now: renewed certificates and staples.
func (a *acme) look(l *live) {
	for _, d := range a.domains {
		var best *certmagic.Certificate
		for _, c := range l.cache.AllMatchingCertificates(d) {
			if best == nil || c.Leaf.NotAfter.After(best.Leaf.NotAfter) {
				best = &c
			}
		}
		if best != nil {
			a.put(d, &best.Certificate)
		}
	}
}

// put serves a certificate for a domain, if it is not served yet.
func (a *acme) put(domain string, c *tls.Certificate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if is := a.served[domain]; is != nil && same(is, c) {
		return
	}
	a.served[domain] = c
	a.show(a.picture())
}

// same reports whether two certificates are served alike.
func same(a, b *tls.Certificate) bool {
	return string(a.Certificate[0]) == string(b.Certificate[0]) && string(a.OCSPStaple) == string(b.OCSPStaple)
}

// first is what is served before run.
func (a *acme) first() *set {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.picture()
}

// picture is called under the lock.
func (a *acme) picture() *set {
	s := &set{domains: a.domains, names: map[string][]*tls.Certificate{}}
	for _, d := range a.domains {
		c := a.served[d]
		if c == nil {
			continue
		}
		s.names[d] = []*tls.Certificate{c}
		if s.fallback == nil {
			s.fallback = c
		}
	}
	return s
}

// ready fails while it is not known what is stored for a domain. That something
// is still to be ordered does not make an edge unready: where a balancer sends
// requests to ready edges only, the issuer could never reach it for the proof.
func (a *acme) ready() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, d := range a.domains {
		if a.served[d] == nil && !a.answered[d] {
			errs = append(errs, fmt.Errorf("certificate for %s: not read yet", d))
		}
	}
	return errors.Join(errs...)
}

// proof is the certificate that proves a domain to the issuer by TLS-ALPN-01 (RFC
// 8737), whichever edge ordered; nil: none is asked for, or too many are.
func (a *acme) proof(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	l := a.live.Load()
	if l == nil || !a.proves(hello.ServerName) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(hello.Context(), callWait)
	defer cancel()
	return l.config.GetCertificateWithContext(ctx, hello)
}

// challenge answers HTTP-01 (RFC 8555, 8.3), whichever edge ordered; false: it is
// no challenge of ours.
func (a *acme) challenge(w http.ResponseWriter, r *http.Request) bool {
	l := a.live.Load()
	if l == nil || !strings.HasPrefix(r.URL.Path, acmePath) || !a.proves(hostOf(r)) {
		return false
	}
	ctx, cancel := context.WithTimeout(r.Context(), callWait)
	defer cancel()
	return l.issuer.HandleHTTPChallenge(w, r.WithContext(ctx))
}

// proves bounds what strangers can make us look for.
func (a *acme) proves(name string) bool {
	s := set{domains: a.domains}
	return s.serves(strings.ToLower(name)) && a.proofs.AllowN(time.Now(), 1)
}

func hostOf(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(host, ".")
}
