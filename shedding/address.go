package shedding

import "net/netip"

// AddressKey is the name under which an address is limited: the whole address
// for IPv4, also when it is written inside IPv6, and the /64 for IPv6, since
// that is the least a single line is given (RFC 6177). A zone names one of our
// own interfaces and is dropped. Every invalid address has the same key.
func AddressKey(addr netip.Addr) string {
	addr = addr.Unmap()
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	// Prefix drops the zone. Its only fault here is an invalid address, whose
	// prefix is the zero one.
	block, _ := addr.Prefix(bits)
	return block.String()
}
