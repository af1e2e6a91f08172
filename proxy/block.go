package proxy

import (
	"net/netip"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
	"github.com/waitroom/waitroom/static"
)

// capsBlocks reports whether blocks of addresses get only so many tickets.
func (l *limits) capsBlocks() bool { return l.blocks.buckets != nil }

// block counts a ticket of a sale that is given to a block of addresses; attempts
// above what it may have cost it nothing. Where it is certain that the ticket is not
// given in the end, unblock has to be called.
func (l *limits) block(sale string, addr netip.Addr, now time.Time) *excess {
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

// blockFull counts a ticket in the draw towards the block of addresses from which it
// is wanted, if there is room.
func (v *visit) blockFull() (finding, *answer) {
	over := v.house.limits.block(v.door.sale.Key, v.address(), time.Now())
	if over == nil {
		return "", nil
	}
	v.house.metrics.suspicious(v.door.sale.ID, findBlockFull)
	if !v.house.doorman.behind() {
		a := slowDown(*over)
		a.code, a.page = string(findBlockFull), static.BlockFull
		a = v.about(a)
		return findBlockFull, &a
	}
	return findBlockFull, nil
}

// unblock takes back what blockFull counted, for an entry that certainly came to
// nothing.
func (v *visit) unblock(e queueing.Entry) {
	if !e.Behind {
		v.house.limits.unblock(v.door.sale.Key, v.address(), time.Now())
	}
}
