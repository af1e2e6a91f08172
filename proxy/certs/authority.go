package certs

import (
	"crypto/x509"
	"net"
	"strconv"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

// authority is the ACME server that a configuration names, for which roots vouch.
// Certmagic opens a listener for the proofs if nobody listens where it is told, so
// it is told where we do.
func authority(cfg *configs.Config, roots *x509.CertPool, log *zap.Logger) certmagic.ACMEIssuer {
	a := certmagic.ACMEIssuer{
		CA: certmagic.LetsEncryptProductionCA, TestCA: certmagic.LetsEncryptProductionCA, TrustedRoots: roots,
		Email: cfg.TLS.Email, Agreed: true, Logger: log,
		DisableHTTPChallenge: cfg.Listen.HTTP == "",
	}
	if cfg.TLS.CA != nil {
		a.CA, a.TestCA = cfg.TLS.CA.String(), cfg.TLS.CA.String()
	}
	a.ListenHost, a.AltTLSALPNPort = hostPort(cfg.Listen.HTTPS)
	if _, port := hostPort(cfg.Listen.HTTP); port != 0 {
		a.AltHTTPPort = port
	}
	return a
}

func hostPort(address string) (host string, port int) {
	host, text, _ := net.SplitHostPort(address)
	port, _ = strconv.Atoi(text)
	return host, port
}
