package proxy

import "strings"

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
