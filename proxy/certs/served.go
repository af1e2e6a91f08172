package certs

import (
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/caddyserver/certmagic"
)

// look shows what certmagic holds by now: renewed certificates and staples.
func (a *acme) look(l *live) {
	for _, d := range a.domains {
		var best *certmagic.Certificate
		for _, c := range l.cache.AllMatchingCertificates(d) {
			if best == nil || c.Leaf.NotAfter.After(best.Leaf.NotAfter) {
				best = &c
			}
		}
		if best != nil {
			a.put(l, d, &best.Certificate)
		}
	}
}

// put serves a certificate for a domain, if it is not served yet.
func (a *acme) put(l *live, domain string, c *tls.Certificate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if is := a.served[domain]; is != nil && same(is, c) {
		return
	}
	a.served[domain] = c
	l.show(a.picture())
}

// same reports whether two certificates are served alike.
func same(a, b *tls.Certificate) bool {
	return string(a.Certificate[0]) == string(b.Certificate[0]) && string(a.OCSPStaple) == string(b.OCSPStaple)
}

// first is what is served before run.
func (a *acme) first() *set {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.picture()
}

// picture is called under the lock.
func (a *acme) picture() *set {
	s := &set{domains: a.domains, names: map[string][]*tls.Certificate{}}
	for _, d := range a.domains {
		c := a.served[d]
		if c == nil {
			continue
		}
		s.names[d] = []*tls.Certificate{c}
		if s.fallback == nil {
			s.fallback = c
		}
	}
	return s
}

// ready fails while it is not known what is stored for a domain. That something
// is still to be ordered does not make an edge unready: where a balancer sends
// requests to ready edges only, the issuer could never reach it for the proof.
func (a *acme) ready() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, d := range a.domains {
		if a.served[d] == nil && !a.answered[d] {
			errs = append(errs, fmt.Errorf("certificate for %s: not read yet", d))
		}
	}
	return errors.Join(errs...)
}

// answer notes that the storage has told what it has for a domain.
func (a *acme) answer(domain string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answered[domain] = true
}
