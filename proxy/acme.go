package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

const acmeALPN = "acme-tls/1" // RFC 8737

// acme is the source of certificates that an ACME server issues (RFC 8555), and
// their renewal. Accounts, certificates and locks are files of the data
// directory, which is this edge's own: edges that share no directory each order
// for themselves.
type acme struct {
	domains []string
	config  *certmagic.Config
	cache   *certmagic.Cache
	issuer  *certmagic.ACMEIssuer
}

// authority is an ACME server: its directory, and who vouches for it; nil: the
// system's roots.
type authority struct {
	directory string
	roots     *x509.CertPool
}

var publicAuthority = authority{directory: certmagic.LetsEncryptProductionCA}

// newACME does no I/O; nothing is ordered before run.
func newACME(cfg *configs.Config, from authority, log *zap.Logger) *acme {
	a := &acme{domains: cfg.TLS.Domains}
	log = log.Named("acme")
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return a.config, nil },
		Logger:           log,
	})
	a.config = certmagic.New(a.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: filepath.Join(cfg.DataDir, "acme")},
		Logger:  log,
	})
	a.issuer = certmagic.NewACMEIssuer(a.config, certmagic.ACMEIssuer{
		CA: from.directory, TrustedRoots: from.roots,
		Email: cfg.TLS.Email, Agreed: true, Logger: log,
	})
	a.config.Issuers = []certmagic.Issuer{a.issuer}
	return a
}

// run serves what is stored at once, orders what is missing and renews what
// runs out, until ctx is done. A server that does not answer is asked again
// later, and delays nothing.
func (a *acme) run(ctx context.Context) error {
	defer a.cache.Stop()
	if err := a.config.ManageAsync(ctx, a.domains); err != nil {
		return fmt.Errorf("manage certificates: %w", err)
	}
	<-ctx.Done()
	return nil
}

// tlsConfig serves the certificates, and answers the TLS-ALPN-01 challenge.
// Names that are not ours get none: nothing is ordered on demand.
func (a *acme) tlsConfig() *tls.Config {
	c := tlsConfig(nil)
	c.NextProtos = append(c.NextProtos, acmeALPN)
	c.GetCertificate = a.config.GetCertificate
	return c
}

// challenges answers the HTTP-01 challenge before next.
func (a *acme) challenges(next http.Handler) http.Handler {
	return a.issuer.HTTPChallengeHandler(next)
}
