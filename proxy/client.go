package proxy

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// peerOf is the address at the other end of the connection.
func peerOf(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

// trust is the list of proxies whose word about the client counts.
type trust []netip.Prefix

func (t trust) has(a netip.Addr) bool {
	for _, p := range t {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// believes reports whether what a request says of its client counts. Over a proxy's
// own connection nobody vouches for it.
func (t trust) believes(q *question) bool { return t.has(q.peer) && !q.own }

// client is the address that limits count: the peer, or, behind trusted
// proxies, the right-most address of X-Forwarded-For that is not one of them.
// An entry that does not parse ends the chain: what stands left of it is
// anybody's word.
func (t trust) client(q *question) netip.Addr {
	addr := q.peer
	if !t.believes(q) {
		return addr
	}
	chain := strings.Join(slices.Collect(q.all("X-Forwarded-For")), ",")
	for more := true; more; {
		var hop string
		if i := strings.LastIndexByte(chain, ','); i >= 0 {
			chain, hop = chain[:i], chain[i+1:]
		} else {
			hop, more = chain, false
		}
		a, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			break
		}
		addr = a
		if !t.has(a) {
			break
		}
	}
	return addr
}

func parseHop(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap(), true
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return a.Unmap(), err == nil
}
