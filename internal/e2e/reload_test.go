package e2e_test

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReload(t *testing.T) {
	t.Parallel()
	h := openHouse(t, 3)
	if got := len(h.shop(0, 6)); got != 3 {
		t.Fatalf("%d of 3 were sold", got)
	}

	// Five more, and not one beyond.
	h.sale.stock += 5
	path := h.sale.write(t, h.sales)
	eventually(t, "five units are left", func() bool { return h.status().StockLeft == 5 })
	if got := len(h.shop(6, 14)); got != 5 {
		t.Errorf("%d more were sold, want 5", got)
	}

	// A broken file changes nothing and is named, each fault of it.
	writeFile(t, path, strings.NewReplacer("stock: 8", "stock: lots", "hold: 10m0s", "hold: 10").Replace(h.sale.text()))
	eventually(t, "both faults are logged", func() bool {
		return strings.Contains(h.Log(), "sale.yaml:10:") && strings.Contains(h.Log(), "sale.yaml:13:")
	})
	if s := h.status(); s.State != "all_held" || s.StockLeft != 0 {
		t.Errorf("after a broken file: %+v, want all held", s)
	}

	// SIGHUP reads the same file again, and says so again.
	faults := func() int { return strings.Count(h.Log(), "configuration refused") }
	before := faults()
	if err := h.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the faults are logged again", func() bool { return faults() == before+1 })

	// What is frozen while a sale is open stays, also beside a change that would
	// be right.
	moved := h.sale
	moved.opens, moved.open, moved.stock = moved.opens.Add(time.Hour), time.Hour, moved.stock+1
	moved.write(t, h.sales)
	eventually(t, "the frozen keys are named", func() bool { return strings.Contains(h.Log(), "change it back: the sale is open") })
	if s := h.status(); s.Opens != h.sale.opens.UnixMilli() || s.StockLeft != 0 {
		t.Errorf("after a frozen key: opens %d with %d left, want %d with 0", s.Opens, s.StockLeft, h.sale.opens.UnixMilli())
	}

	// A good file is taken up after all that.
	h.sale.stock++
	h.sale.write(t, h.sales)
	eventually(t, "one unit is left", func() bool { return h.status().StockLeft == 1 })
}
