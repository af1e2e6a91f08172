package certs

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"

	"github.com/caddyserver/certmagic"
)

const (
	acmeALPN = "acme-tls/1"                   // RFC 8737
	acmePath = "/.well-known/acme-challenge/" // RFC 8555, 8.3
)

// proof is the certificate that proves a domain to the issuer by TLS-ALPN-01 (RFC
// 8737), whichever edge ordered; nil: none is asked for.
func (a *acme) proof(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(hello.ServerName)
	if a.live.Load() == nil || !a.has(name) {
		return nil, nil
	}
	if work, ok := hello.Conn.(rester); ok {
		work.Rest()
	}
	p := a.proofs.find(hello.Context(), name)
	if p == nil {
		return nil, nil
	}
	return p.certificate()
}

// rester is a connection of whose handshake others have to wait while it is worked at:
// it is told where nothing is but waiting.
type rester interface{ Rest() }

// challenge answers HTTP-01 (RFC 8555, 8.3), whichever edge ordered; false: it is
// no challenge of ours.
func (a *acme) challenge(w http.ResponseWriter, r *http.Request) bool {
	name := strings.ToLower(hostOf(r))
	if a.live.Load() == nil || r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, acmePath) || !a.has(name) {
		return false
	}
	p := a.proofs.find(r.Context(), name)
	return p != nil && certmagic.SolveHTTPChallenge(a.log, w, r, p.Challenge)
}

// has reports whether a name is one of the domains.
func (a *acme) has(name string) bool { return (&set{domains: a.domains}).serves(name) }

func hostOf(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(host, ".")
}
