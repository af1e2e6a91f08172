package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
)

// keep brings the certificate of a domain into memory, from the storage or by an
// order, however long that takes. From then on certmagic renews it.
func (a *acme) keep(ctx context.Context, l *live, domain string) {
	said := ""
	for {
		err := a.bring(ctx, l, domain)
		if err == nil || ctx.Err() != nil {
			return
		}
		if err.Error() != said && !errors.Is(err, errPaused) {
			said = err.Error()
			a.log.Warn("no certificate yet", zap.String("domain", domain), zap.Error(err))
		}
		if !pause(ctx, a.rhythm.retry) {
			return
		}
	}
}

func (a *acme) bring(ctx context.Context, l *live, domain string) error {
	stored, err := a.stored(ctx, l, domain)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read stored certificate: %w", err)
	}
	a.answer(domain)
	if err == nil {
		a.put(domain, stored) // certmagic asks the network before it has it
	} else if err := a.order(ctx, l, domain); err != nil {
		return err
	}
	c, err := l.config.CacheManagedCertificate(ctx, domain)
	if err != nil {
		return fmt.Errorf("take certificate into care: %w", err)
	}
	a.put(domain, &c.Certificate)
	if c.NeedsRenewal(l.config) {
		return l.cache.RenewManagedCertificates(ctx) // now, and not at its next look
	}
	return nil
}

// order makes at most one order, and none while another edge does, or while
// orders pause.
func (a *acme) order(ctx context.Context, l *live, domain string) error {
	left, err := l.issuer.left(ctx, domain)
	if err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%w: %s for %v", errPaused, domain, left.Round(time.Second))
	}
	if err := l.config.ObtainCertSync(ctx, domain); err != nil {
		return fmt.Errorf("order certificate: %w", err)
	}
	return nil
}

// stored is the certificate that lies in the storage.
func (a *acme) stored(ctx context.Context, l *live, domain string) (*tls.Certificate, error) {
	from := l.issuer.IssuerKey()
	chain, err := a.storage.Load(ctx, certmagic.StorageKeys.SiteCert(from, domain))
	if err != nil {
		return nil, err
	}
	key, err := a.storage.Load(ctx, certmagic.StorageKeys.SitePrivateKey(from, domain))
	if err != nil {
		return nil, err
	}
	c, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// answer notes that the storage has told what it has for a domain.
func (a *acme) answer(domain string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answered[domain] = true
}
