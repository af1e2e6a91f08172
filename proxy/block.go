package proxy

import (
	"net/netip"
	"time"

	"github.com/waitroom/waitroom/shedding"
)

// block counts a ticket of a sale that is given to a block of addresses; attempts
// above what it may have cost it nothing. Where the ticket is not given in the end,
// unblock has to be called.
func (l *limits) block(sale string, addr netip.Addr, now time.Time) *excess {
	if l.blocks.buckets == nil {
		return nil
	}
	if retry, ok := l.blocks.buckets.Allow(blockOf(sale, addr), now); !ok {
		return &excess{limit: l.blocks.name, retry: retry}
	}
	return nil
}

// unblock takes back what block counted.
func (l *limits) unblock(sale string, addr netip.Addr, now time.Time) {
	l.blocks.buckets.GiveBack(blockOf(sale, addr), now)
}

func blockOf(sale string, addr netip.Addr) string { return sale + " " + shedding.BlockKey(addr) }
