package shedding

import "net/netip"

// AddressKey is the name under which an address is limited: the whole address
// for IPv4, also when it is written inside IPv6, and the /64 for IPv6, since
// that is the least a single line is given (RFC 6177). A zone names one of our
// own interfaces and is dropped. Every invalid address has the same key.
func AddressKey(addr netip.Addr) string { return blockWith(addr, 32, 64).String() }

// BlockKey is the name of the block that an address is in: the /24 for IPv4, and
// for IPv6 the /48, which is what one customer may be given (RFC 6177). Every
// invalid address is in the same.
func BlockKey(addr netip.Addr) string { return blockWith(addr, 24, 48).String() }

// blockWith is the block with so many bits that an address is in, without a zone. Its
// only fault here is an invalid address, whose block is the zero one.
func blockWith(addr netip.Addr, v4, v6 int) netip.Prefix {
	addr = addr.Unmap()
	bits := v6
	if addr.Is4() {
		bits = v4
	}
	block, _ := addr.Prefix(bits)
	return block
}

// blockOf is the block of what AddressKey named.
func blockOf(key string) string {
	p, _ := netip.ParsePrefix(key) // only that of an invalid address does not parse
	return BlockKey(p.Addr())
}
