package listen

import (
	"net"
	"net/netip"
)

// block is whom an address stands for: all of IPv4, and the /64 of IPv6, the least
// that a line is given (RFC 6177). The zero one is nobody in particular.
func block(at netip.Addr) netip.Prefix {
	bits := 64
	if at = at.Unmap(); at.Is4() {
		bits = 32
	}
	b, _ := at.Prefix(bits) // an address that is none has none
	return b
}

// addressOf is the address in one of the Internet; the zero one: there is none.
func addressOf(from net.Addr) netip.Addr {
	if tcp, ok := from.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	at, _ := netip.ParseAddrPort(from.String()) // a socket's is none
	return at.Addr().Unmap().WithZone("")
}

// among reports whether an address is in one of some networks.
func among(all []netip.Prefix, at netip.Addr) bool {
	for _, p := range all {
		if p.Contains(at) {
			return true
		}
	}
	return false
}
