package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

const tidyEvery = 24 * time.Hour

// acme is the source of certificates that an ACME server issues (RFC 8555). What
// is stored is served at once; what is missing is ordered, and what runs out
// renewed, beside the serving. Accounts, certificates, proofs and locks lie in
// Redis, or in files of the data directory.
type acme struct {
	domains   []string
	authority certmagic.ACMEIssuer
	storage   certmagic.Storage
	metrics   *metrics
	rhythm    rhythm
	log       *zap.Logger
	proofs    *proofs
	live      atomic.Pointer[live] // nil: not run

	mu       sync.Mutex
	served   map[string]*tls.Certificate
	answered map[string]bool // domains of which the storage has said what it has
}

// live is what certmagic does for a source that runs.
type live struct {
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *issuer
	show   func(*set) // each new picture of what is served
}

// newACME does no I/O. roots vouch for the ACME server; nil: the system's. What is
// served for a domain already is
// served on until there is something better.
func newACME(cfg *configs.Config, roots *x509.CertPool, rdb redis.UniversalClient, seal *sealer, served *set, m *metrics, r rhythm, log *zap.Logger) *acme {
	log = calmed(log.Named("acme"))
	a := &acme{domains: cfg.TLS.Domains, authority: authority(cfg, roots, log), metrics: m, rhythm: r, log: log,
		served: map[string]*tls.Certificate{}, answered: map[string]bool{}}
	if rdb == nil {
		a.storage = &certmagic.FileStorage{Path: filepath.Join(cfg.DataDir, "acme")}
	} else {
		a.storage = newVault(rdb, seal, r.lease, a.log)
	}
	a.proofs = newProofs(a.storage, a.authority.IssuerKey(), log)
	for _, d := range a.domains {
		m.failed.WithLabelValues(d) // from 0 on
		if served == nil || served.anybody {
			continue
		}
		if fit := served.named(d); len(fit) > 0 {
			a.served[d] = fit[0]
		}
	}
	return a
}

// begin makes what certmagic needs, with a goroutine that [certmagic.Cache.Stop]
// ends.
func (a *acme) begin(show func(*set)) *live {
	l := &live{show: show}
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
	l.issuer = &issuer{certmagic.NewACMEIssuer(l.config, a.authority), a.storage, a.metrics.failed}
	l.config.Issuers = []certmagic.Issuer{l.issuer}
	return l
}

// run keeps certificates until ctx is done, and shows every new picture of them.
func (a *acme) run(ctx context.Context, show func(*set)) {
	l := a.begin(show)
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
	a.live.Store(nil)
	a.end(l, &work)
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

// end stops orders and renewals and lets go of locks. Not all that certmagic does
// can be cut short while others hang, such as a look for a staple; it is not
// waited for then.
func (a *acme) end(l *live, work *sync.WaitGroup) {
	ctx, cancel := context.WithTimeout(context.Background(), a.rhythm.stop)
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		l.cache.Stop()
		work.Wait()
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
	}
	if v, ok := a.storage.(*vault); ok {
		v.settle(ctx)
	}
}
