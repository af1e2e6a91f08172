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

// errTorn says that a stored certificate and its key do not fit: whoever renewed
// it died between storing the one and the other.
var errTorn = errors.New("stored certificate and key do not fit")

// keep brings the certificate of a domain into memory, from the storage or by an
// order, however long that takes. From then on certmagic renews it.
func (a *acme) keep(ctx context.Context, l *live, domain string) {
	said := ""
	for {
		err := a.bring(ctx, l, domain)
		if err == nil || ctx.Err() != nil {
			return
		}
		switch {
		case errors.Is(err, errPaused):
			a.log.Debug("order waits", zap.String("domain", domain), zap.Error(err))
		case err.Error() != said:
			said = err.Error()
			a.log.Warn("certificate not in care yet, trying again", zap.String("domain", domain), zap.Error(err))
		}
		if !pause(ctx, a.rhythm.retry) {
			return
		}
	}
}

func (a *acme) bring(ctx context.Context, l *live, domain string) error {
	stored, err := a.stored(ctx, l, domain)
	torn := errors.Is(err, errTorn)
	if err != nil && !torn && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read stored certificate: %w", err)
	}
	a.answer(domain)
	if err == nil {
		a.put(l, domain, stored) // certmagic asks the network before it has it
	} else if err := a.obtain(ctx, l, domain, torn); err != nil {
		return err
	}
	c, err := l.config.CacheManagedCertificate(ctx, domain)
	if err != nil {
		return fmt.Errorf("take certificate into care: %w", err)
	}
	a.put(l, domain, &c.Certificate)
	if c.NeedsRenewal(l.config) {
		return l.cache.RenewManagedCertificates(ctx) // now, and not at its next look
	}
	return nil
}

// obtain makes at most one order, and none while another edge does, or while
// orders pause. Where a renewal was torn, it does what that was to do.
func (a *acme) obtain(ctx context.Context, l *live, domain string, torn bool) error {
	left, err := l.issuer.left(ctx, domain)
	if err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%w: %s for %v", errPaused, domain, left.Round(time.Second))
	}
	if torn {
		err = l.config.RenewCertSync(ctx, domain, false)
	} else {
		err = l.config.ObtainCertSync(ctx, domain)
	}
	if err != nil {
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
		return nil, fmt.Errorf("%w: %w", errTorn, err)
	}
	return &c, nil
}
