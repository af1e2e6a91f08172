package certs

import (
	"crypto/tls"
	"net/netip"
	"slices"
	"strings"
)

// A set is what is served at one moment. It is not changed once it is shown.
type set struct {
	domains  []string                      // as configured; *.example.com stands for all that differ in the first label
	names    map[string][]*tls.Certificate // by domain or other name of a certificate, which may begin with *.
	fallback *tls.Certificate              // for who names nobody; nil: none
	anybody  bool                          // who names a stranger gets the fallback, too
}

// find is the certificate for a handshake; nil: none, it is refused.
func (s *set) find(hello *tls.ClientHelloInfo) *tls.Certificate {
	name := strings.ToLower(hello.ServerName)
	if s.anybody || nameless(name) {
		return s.fallback
	}
	if !s.serves(name) {
		return nil
	}
	fit := s.named(name)
	for _, c := range fit {
		if hello.SupportsCertificate(c) == nil {
			return c
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[0] // let the client say what it lacks
}

// nameless reports whether a handshake names no host: an address is none (RFC
// 6066, 3).
func nameless(name string) bool {
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return name == "" || err == nil
}

// serves reports whether a name is one of the domains.
func (s *set) serves(name string) bool {
	return slices.Contains(s.domains, name) || slices.Contains(s.domains, wildcard(name))
}

// named are the certificates for a name: those that name it, else those for all
// beside it.
func (s *set) named(name string) []*tls.Certificate {
	if fit := s.names[name]; len(fit) > 0 {
		return fit
	}
	return s.names[wildcard(name)]
}

// wildcard is a name with * for its first label.
func wildcard(name string) string {
	_, rest, _ := strings.Cut(name, ".")
	return "*." + rest
}
