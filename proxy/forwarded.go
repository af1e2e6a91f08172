package proxy

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientFields are what proxies write about a client. Whatever a client sends
// under one of these names, or under a spelling that an origin may take for it
// (underscores), is removed, unless the peer is a trusted proxy.
var clientFields = map[string]bool{
	"forwarded": true, "x-real-ip": true, "true-client-ip": true, "x-client-ip": true,
	"cf-connecting-ip": true, "fastly-client-ip": true, "x-cluster-client-ip": true,
	"x-original-forwarded-for": true,
}

func isClientField(name string) bool {
	return clientFields[name] || strings.HasPrefix(name, "x-forwarded-")
}

// setForwarded replaces what the client says about itself by what we see (RFC
// 7239 and its customary forerunners). The word of a trusted peer is kept and
// added to.
func setForwarded(out http.Header, in *http.Request, trusted bool) {
	for name := range out {
		folded := strings.ReplaceAll(strings.ToLower(name), "_", "-")
		plain := folded == strings.ToLower(name)
		switch {
		case strings.HasPrefix(folded, "waitroom-"):
			delete(out, name)
		case isClientField(folded) && !(trusted && plain):
			delete(out, name)
		}
	}
	peer := peerOf(in)
	proto := "https"
	if in.TLS == nil {
		proto = "http"
	}
	chain := peer.String()
	if trusted {
		chain = strings.Join(append(in.Header.Values("X-Forwarded-For"), chain), ", ")
	}
	out.Set("X-Forwarded-For", chain)
	element := `for=` + forwardedNode(peer) + `;host="` + quoted(in.Host) + `";proto=` + proto
	if prior := in.Header.Values("Forwarded"); trusted && len(prior) > 0 {
		element = strings.Join(append(prior, element), ", ")
	}
	out.Set("Forwarded", element)
	for name, seen := range map[string]string{"X-Forwarded-Host": in.Host, "X-Forwarded-Proto": proto} {
		if said := in.Header.Get(name); trusted && said != "" {
			seen = said
		}
		out.Set(name, seen)
	}
}

// forwardedNode is an address as RFC 7239, section 6, writes it.
func forwardedNode(a netip.Addr) string {
	if a.Is6() {
		return `"[` + a.String() + `]"`
	}
	return a.String()
}

func quoted(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}
