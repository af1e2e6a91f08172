package balance

import (
	"testing"

	"github.com/waitroom/waitroom/gate"
)

// Gate holds a gate to the stock that its sale began with and to what the books
// have sold: stock = left + in transit + out = left + in transit + sold.
func Gate(t testing.TB, audit gate.Audit, stock, sold int) {
	t.Helper()
	out := Out(audit)
	left := audit.Left + audit.Transit
	if audit.Total != stock || left+out != stock || left+sold != stock {
		t.Errorf("stock %d: the gate has %d left, %d in transit and %d out of %d, the books have %d sold",
			stock, audit.Left, audit.Transit, out, audit.Total, sold)
	}
}

// Out is how many units the receipts have.
func Out(audit gate.Audit) (units int) {
	for _, r := range audit.Receipts {
		units += r.Qty
	}
	return units
}
