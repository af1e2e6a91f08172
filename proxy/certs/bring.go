package certs

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
)

var (
	// errTorn says that key, certificate and what certmagic notes of them do not fit:
	// whoever ordered died between storing the one and the other.
	errTorn = errors.New("stored certificate is not whole")
	// errUnread says that the storage does not tell what it has.
	errUnread = errors.New("read stored certificate")
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
		switch {
		case errors.Is(err, errPaused):
			a.log.Debug("order waits", zap.String("domain", domain), zap.Error(err))
		case err.Error() != said:
			said = err.Error()
			a.log.Warn("certificate not in care yet, trying again", zap.String("domain", domain), zap.Error(err))
		}
		wait := a.rhythm.retry
		if errors.Is(err, errUnread) {
			wait = a.rhythm.reread // which costs no order
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

func (a *acme) bring(ctx context.Context, l *live, domain string) error {
	stored, err := a.stored(ctx, l, domain)
	torn := errors.Is(err, errTorn)
	if err != nil && !torn && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	a.answer(domain)
	if stored != nil {
		a.put(l, domain, stored) // certmagic asks the network before it has it
	}
	if err != nil {
		if err := a.obtain(ctx, l, domain, torn); err != nil {
			return err
		}
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
// orders pause. What is torn is thrown away first.
func (a *acme) obtain(ctx context.Context, l *live, domain string, torn bool) error {
	left, err := l.issuer.left(ctx, domain)
	if err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%w: %s for %v", errPaused, domain, left.Round(time.Second))
	}
	if torn {
		if err := a.discard(ctx, l, domain); err != nil {
			return fmt.Errorf("discard torn certificate: %w", err)
		}
	}
	if err := l.config.ObtainCertSync(ctx, domain); err != nil {
		return fmt.Errorf("order certificate: %w", err)
	}
	return nil
}

// discard makes certmagic see that there is no certificate, unless there is a whole
// one by now. The lock is that of orders: nobody is in the middle of storing one.
func (a *acme) discard(ctx context.Context, l *live, domain string) (err error) {
	lock := "issue_cert_" + domain
	if err := a.storage.Lock(ctx, lock); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.storage.Unlock(context.WithoutCancel(ctx), lock)) }()
	if _, err := a.stored(ctx, l, domain); !errors.Is(err, errTorn) {
		return err
	}
	return a.storage.Delete(ctx, certmagic.StorageKeys.SiteMeta(l.issuer.IssuerKey(), domain))
}

// stored is the certificate that lies in the storage; with errTorn too, where it can
// be served but not renewed.
func (a *acme) stored(ctx context.Context, l *live, domain string) (*tls.Certificate, error) {
	from, keys := l.issuer.IssuerKey(), certmagic.StorageKeys
	chain, err := a.storage.Load(ctx, keys.SiteCert(from, domain))
	if err != nil {
		return nil, err
	}
	key, err := a.storage.Load(ctx, keys.SitePrivateKey(from, domain))
	if err != nil {
		return nil, err
	}
	c, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errTorn, err)
	}
	notes, err := a.storage.Load(ctx, keys.SiteMeta(from, domain))
	if err == nil {
		err = json.Unmarshal(notes, &certmagic.CertificateResource{})
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return &c, fmt.Errorf("%w: %w", errTorn, err)
	}
	return &c, nil
}
