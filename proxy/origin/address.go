package origin

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
)

// address is how a server is reached.
type address struct {
	network, host string // for a dialer
	scheme        string // of what is asked there: http or https
	name          string // who must be vouched for; empty: nobody, it is no TLS
	prior         bool   // HTTP/2 is spoken without asking (RFC 9113, 3.3)
}

func newAddress(u *url.URL) address {
	if u.Scheme == "unix" {
		return address{network: "unix", host: u.Path, scheme: "http"}
	}
	a := address{network: "tcp", scheme: "http", prior: u.Scheme == "h2c"}
	port := "80"
	if u.Scheme == "https" {
		a.scheme, a.name, port = "https", u.Hostname(), "443"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	a.host = net.JoinHostPort(u.Hostname(), port)
	return a
}

// tlsConfigs are for any request, and for one that only HTTP/1.1 can carry.
func tlsConfigs(name string, roots *x509.CertPool) (either, http1 *tls.Config) {
	if name == "" {
		return nil, nil
	}
	either = &tls.Config{
		ServerName: name, RootCAs: roots, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"}, ClientSessionCache: tls.NewLRUClientSessionCache(0),
	}
	http1 = either.Clone()
	http1.NextProtos = []string{"http/1.1"}
	return either, http1
}
