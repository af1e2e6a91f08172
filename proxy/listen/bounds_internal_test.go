package listen

import (
	"math"
	"net/netip"
	"testing"

	"go.uber.org/zap"
)

// TestBounds: files and memory bound connections, whichever is less, and a school of
// three hundred has room behind one address wherever there is room at all.
func TestBounds(t *testing.T) {
	t.Parallel()
	const gigabyte = 1 << 30
	for _, test := range []struct {
		files, memory uint64
		want          bounds
	}{
		{1 << 20, 16 * gigabyte, bounds{65536, 32768, 8192, 512, 65536, 8192}},
		{math.MaxUint64, math.MaxInt64, bounds{65536, 32768, 8192, 512, 65536, 8192}},
		{20_000, 16 * gigabyte, bounds{17500, 8750, 2187, 512, 17500, 2187}},
		{20_000, gigabyte, bounds{8192, 4096, 1024, 512, 8192, 1024}},
		{1024, gigabyte, bounds{512, 256, 256, 128, 512, 256}},
		{65536, gigabyte / 4, bounds{2048, 1024, 512, 512, 2048, 512}},
		{65536, 1 << 20, bounds{64, 32, 32, 16, 64, 32}},
	} {
		if got := boundsFor(test.files, test.memory); got != test.want {
			t.Errorf("%d files, %d bytes: got %+v, want %+v", test.files, test.memory, got, test.want)
		}
	}
}

// TestNewConnections_Memory: there are as many as the memory that is given has room for.
func TestNewConnections_Memory(t *testing.T) {
	t.Parallel()
	if got := NewConnections(16<<20, func(string) {}, zap.NewNop()).Numbers().Room; got != 128 {
		t.Errorf("room for %d in 16 MiB, want 128", got)
	}
}

// TestBlock: an IPv4 address counts for itself, also within IPv6, and of IPv6 the /64.
func TestBlock(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"203.0.113.7": "203.0.113.7/32", "::ffff:203.0.113.7": "203.0.113.7/32", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got := block(netip.MustParseAddr(at)).String(); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
	if got := block(netip.Addr{}); got.IsValid() {
		t.Errorf("none: got %s, want none", got)
	}
}
