package ledger

import (
	"fmt"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// differences are what Mend is told.
type differences struct {
	open    bool
	missing []gate.Live    // live orders without a receipt
	orphans []gate.Receipt // without an order, and nothing brings one
	alone   []gate.Receipt // that came with a winner and have no live order: it may be on its way, or lost
	total   bool           // books and gate have not as many units in all
	sums    bool           // the gate's numbers do not add up, its count of paid units is off, or its index is
}

// mendable reports whether there is something that Mend can do.
func (d differences) mendable() bool {
	return len(d.missing)+len(d.orphans) > 0 || d.sums
}

// differ finds live orders without a receipt and receipts without an order. A
// receipt younger than grace may belong to something that is under way; so may one
// whose winner is still in the stream, which Mend looks up itself.
func differ(before, after map[string]order, audit gate.Audit, grace time.Duration) differences {
	d := differences{open: audit.Open()}
	has := make(map[string]bool, len(audit.Receipts))
	for _, r := range audit.Receipts {
		has[r.Hold] = true
		if _, owned := after[r.Hold]; owned {
			continue
		}
		if r.Entry != "" {
			d.alone = append(d.alone, r)
		}
		if r.Age >= grace && (r.Entry == "" || audit.Backlog == 0) {
			d.orphans = append(d.orphans, r)
		}
	}
	for hold, o := range after {
		if b, was := before[hold]; was && b.Status.Live() && o.Status.Live() && !has[hold] {
			d.missing = append(d.missing, gate.Live{Receipt: o.receipt(), Note: o.note()})
		}
	}
	return d
}

// judge says in words why books and gate do not agree; empty when they do.
func judge(c Counts, audit gate.Audit, out int, d differences) string {
	switch {
	case !c.Balanced():
		return fmt.Sprintf("the books themselves: sold %d, orders %d, journal %d, total %d", c.Sold, c.Pending+c.Paid, c.Journal, c.Total)
	case audit.Closed != "":
		return "the gate is closed: " + audit.Closed
	case audit.Missing:
		return "there is no gate"
	case audit.Total != c.Total:
		return fmt.Sprintf("the gate has %d units in all, the books %d", audit.Total, c.Total)
	case audit.Steady && audit.Offered()+out != audit.Total:
		return fmt.Sprintf("the gate has %d units left and %d out of %d", audit.Offered(), out, audit.Total)
	case len(d.orphans) > 0:
		return "a receipt has no order: " + d.orphans[0].Hold
	case len(d.missing) > 0:
		return "an order has no receipt: " + d.missing[0].Note.Reservation
	default:
		return ""
	}
}

func unitsOut(audit gate.Audit) (n int) {
	for _, r := range audit.Receipts {
		n += r.Qty
	}
	return n
}
