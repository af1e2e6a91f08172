package certs

import (
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

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
