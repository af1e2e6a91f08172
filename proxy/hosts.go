package proxy

import (
	"net"
	"strings"

	"github.com/waitroom/waitroom/configs"
)

// hosts are the names that are served, folded; nil: any. A name may stand for
// all that differ in its first label: *.example.com.
type hosts map[string]bool

func newHosts(domains []string) hosts {
	if len(domains) == 0 {
		return nil
	}
	h := hosts{}
	for _, d := range domains {
		h[foldHost(d)] = true
	}
	return h
}

// has reports whether a folded name is one of the listed.
func (h hosts) has(host string) bool {
	_, rest, dotted := strings.Cut(host, ".")
	return h[host] || dotted && h["*."+rest]
}

// serve reports whether requests for a folded name are served.
func (h hosts) serve(host string) bool { return h == nil || h.has(host) }

// spelled are what browsers write for a name that is served at an address: without its
// port, and with it, unless that is the usual one.
func spelled(name, https string) []string {
	switch _, port, err := net.SplitHostPort(https); {
	case err != nil, port == "443", port == "0":
		return []string{name}
	default:
		return []string{name, net.JoinHostPort(name, port)}
	}
}

// ownNames are what pages call the shop: as its configuration does, whatever a client
// writes, for what they say lies ready. nil: any name is served.
type ownNames []string

func newOwnNames(cfg *configs.Config) ownNames {
	if len(cfg.TLS.Domains) == 0 {
		return nil
	}
	all := ownNames{}
	for _, d := range cfg.TLS.Domains {
		if !strings.HasPrefix(d, "*") {
			all = append(all, spelled(d, cfg.Listen.HTTPS)...)
		}
	}
	return all
}

// of is the name for who came under a host; empty: it has none of its own.
func (all ownNames) of(host string) string {
	if all == nil {
		return host // somebody tries it out
	}
	folded := ""
	for _, name := range all {
		switch {
		case strings.EqualFold(name, host):
			return name
		case folded == "" && strings.EqualFold(name, foldHost(host)):
			folded = name
		}
	}
	return folded
}

// foldHost gives the form in which host names are compared: lower case, no
// port, no trailing dot, no brackets.
func foldHost(host string) string {
	if strings.IndexByte(host, ':') >= 0 { // else it would only make an error of it
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}
