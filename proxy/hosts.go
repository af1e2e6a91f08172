package proxy

import (
	"net"
	"strings"
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
