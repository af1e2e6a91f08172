package proxy

import (
	"cmp"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientFields are what proxies write about a client. Whatever a client sends
// under one of these names, or under a spelling that an origin may take for it
// (see foldField), is removed, unless the peer is a trusted proxy.
var clientFields = map[string]bool{
	"forwarded": true, "x-real-ip": true, "true-client-ip": true, "x-client-ip": true,
	"cf-connecting-ip": true, "fastly-client-ip": true, "x-cluster-client-ip": true,
	"client-ip": true, "x-original-forwarded-for": true, "x-remote-addr": true, "x-remote-ip": true, "remote-addr": true,
	"x-host": true, "x-original-host": true, "x-scheme": true, "x-url-scheme": true, "front-end-https": true,
}

func isClientField(name string) bool {
	return clientFields[name] || strings.HasPrefix(name, "x-forwarded-")
}

// pathFields tell some origins to serve another path than that of the request.
// Nobody's word counts there: it would lead around the line.
var pathFields = map[string]bool{
	"x-original-url": true, "x-rewrite-url": true, "x-original-uri": true, "x-rewrite-uri": true,
	"x-script-name": true, "script-name": true, "x-envoy-original-path": true,
}

// plainFields are what browsers send, and mean nothing to what follows.
var plainFields = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Cache-Control": true, "Content-Length": true, "Content-Type": true,
	"Cookie": true, "If-Modified-Since": true, "If-None-Match": true, "Origin": true, "Pragma": true, "Priority": true, "Range": true, "Referer": true,
	"Sec-Ch-Ua": true, "Sec-Ch-Ua-Mobile": true, "Sec-Ch-Ua-Platform": true, "Sec-Fetch-Dest": true, "Sec-Fetch-Mode": true,
	"Sec-Fetch-Site": true, "Sec-Fetch-User": true, "Upgrade-Insecure-Requests": true, "User-Agent": true,
}

// setForwarded replaces what the client says about itself by what we see (RFC
// 7239 and its customary forerunners). The word of a trusted peer is kept and
// added to.
func setForwarded(out http.Header, in *http.Request, trusted bool) {
	for name := range out {
		if plainFields[name] {
			continue
		}
		folded := foldField(name)
		plain := folded == strings.ToLower(name)
		switch {
		case strings.HasPrefix(folded, "waitroom-"), pathFields[folded]:
			delete(out, name)
		case isClientField(folded) && !(trusted && plain):
			delete(out, name)
		}
	}
	setSeen(out, in, trusted)
}

// setSeen writes what this connection shows.
func setSeen(out http.Header, in *http.Request, trusted bool) {
	peer, proto := peerOf(in), "https"
	if in.TLS == nil {
		proto = "http"
	}
	element := `for=` + forwardedNode(peer) + `;host="` + quoted(in.Host) + `";proto=` + proto
	host := in.Host
	if trusted {
		host = cmp.Or(in.Header.Get("X-Forwarded-Host"), host)
		proto = cmp.Or(in.Header.Get("X-Forwarded-Proto"), proto)
	}
	seen := [...]string{chained(in, "Forwarded", element, trusted), chained(in, "X-Forwarded-For", forwardedAddress(peer), trusted), host, proto}
	for i, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		out[name] = seen[i : i+1 : i+1]
	}
}

// chained is what a field says so far, if that counts, and what we add.
func chained(in *http.Request, name, ours string, trusted bool) string {
	if !trusted {
		return ours
	}
	return strings.Join(append(slices.Clone(in.Header.Values(name)), ours), ", ")
}

// forwardedAddress is an address as X-Forwarded-For has it. Who has none, such as
// the peer of a socket, is unknown in both fields.
func forwardedAddress(a netip.Addr) string {
	if !a.IsValid() {
		return "unknown"
	}
	return a.WithZone("").String()
}

// forwardedNode is an address as RFC 7239, section 6, writes it.
func forwardedNode(a netip.Addr) string {
	if a.Is6() {
		return `"[` + forwardedAddress(a) + `]"`
	}
	return forwardedAddress(a)
}

func quoted(s string) string {
	if !strings.ContainsAny(s, `\"`) {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}
