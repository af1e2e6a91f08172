package certs

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	acmeALPN = "acme-tls/1"                   // RFC 8737
	acmePath = "/.well-known/acme-challenge/" // RFC 8555, 8.3

	proofRate  = 20 // proofs a second that are looked for, whoever asks
	proofBurst = 100
)

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
