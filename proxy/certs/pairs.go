package certs

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/waitroom/waitroom/configs"
)

// A pair is the text of a chain and its key, as it lies on disk.
type pair struct {
	from       string // the chain's file, for errors
	chain, key []byte
}

// readPairs reads the files of a configuration.
func readPairs(files []configs.Certificate) ([]pair, error) {
	var pairs []pair
	for _, f := range files {
		chain, err := readFile(f.Cert)
		if err != nil {
			return nil, fmt.Errorf("tls.files: %s: %w", f.Cert, err)
		}
		key, err := readFile(f.Key)
		if err != nil {
			return nil, fmt.Errorf("tls.files: %s: %w", f.Key, err)
		}
		pairs = append(pairs, pair{f.Cert, chain, key})
	}
	return pairs, nil
}

// Bare gives the domains that no certificate of tls.files names, which are served the
// first one. It reads the files.
func Bare(cfg *configs.Config) ([]string, error) {
	if cfg.TLS.Mode != configs.TLSFiles {
		return nil, nil
	}
	pairs, err := readPairs(cfg.TLS.Files)
	if err != nil {
		return nil, err
	}
	_, bare, err := setOf(pairs, cfg.TLS.Domains)
	return bare, err
}

// setOf is what pairs serve for domains. A domain that no pair names is served
// the first one, for a CDN that does not look at names, and is in bare.
func setOf(pairs []pair, domains []string) (s *set, bare []string, err error) {
	s = &set{domains: domains, names: map[string][]*tls.Certificate{}}
	for _, p := range pairs {
		c, err := tls.X509KeyPair(p.chain, p.key)
		if err != nil {
			return nil, nil, fmt.Errorf("tls.files: %s: %w", p.from, err)
		}
		if s.fallback == nil {
			s.fallback = &c
		}
		for _, name := range c.Leaf.DNSNames {
			name = strings.ToLower(name)
			s.names[name] = append(s.names[name], &c)
		}
	}
	for _, d := range domains {
		if len(s.named(d)) == 0 {
			bare = append(bare, d)
			s.names[d] = []*tls.Certificate{s.fallback}
		}
	}
	return s, bare, nil
}

func (p pair) same(q pair) bool {
	return string(p.chain) == string(q.chain) && string(p.key) == string(q.key)
}
