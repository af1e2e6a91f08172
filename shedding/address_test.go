package shedding_test

import (
	"net/netip"
	"testing"

	"github.com/waitroom/waitroom/shedding"
)

func TestAddressKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, addr, want string }{
		{"IPv4", "192.0.2.7", "192.0.2.7/32"},
		{"IPv4 inside IPv6", "::ffff:192.0.2.7", "192.0.2.7/32"},
		{"IPv4 inside IPv6 with a zone", "::ffff:192.0.2.7%eth0", "192.0.2.7/32"},
		{"IPv6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"IPv6, same block", "2001:db8:1:2:ffff::", "2001:db8:1:2::/64"},
		{"IPv6, next block", "2001:db8:1:3::", "2001:db8:1:3::/64"},
		{"link-local with a zone", "fe80::1%eth0", "fe80::/64"},
		{"loopback", "::1", "::/64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := shedding.AddressKey(netip.MustParseAddr(test.addr)); got != test.want {
				t.Errorf("AddressKey(%s) = %q, want %q", test.addr, got, test.want)
			}
		})
	}
}

func TestInvalidAddressesShareOneKey(t *testing.T) {
	t.Parallel()
	got := shedding.AddressKey(netip.Addr{})
	if got == "" || got == shedding.AddressKey(netip.IPv6Unspecified()) {
		t.Errorf("AddressKey of no address = %q, want a key of its own", got)
	}
}

func TestBlockKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ addr, want string }{
		{"192.0.2.7", "192.0.2.0/24"},
		{"::ffff:192.0.2.7", "192.0.2.0/24"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"},
		{"2001:db8:1:ffff::", "2001:db8:1::/48"},
		{"2001:db8:2::", "2001:db8:2::/48"},
		{"fe80::1%eth0", "fe80::/48"},
	} {
		if got := shedding.BlockKey(netip.MustParseAddr(test.addr)); got != test.want {
			t.Errorf("BlockKey(%s) = %q, want %q", test.addr, got, test.want)
		}
	}
}
