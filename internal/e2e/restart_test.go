package e2e_test

import (
	"net/http"
	"testing"
)

// The books of an embedded edge survive its death, the line does not, and the
// gate is made from the books.
func TestEmbeddedRestart(t *testing.T) {
	t.Parallel()
	h := openHouse(t, 10)
	winners := h.shop(0, 3)
	if len(winners) != 3 {
		t.Fatalf("%d of 3 got one", len(winners))
	}
	for _, b := range winners {
		eventually(t, "the order is in the books", func() bool {
			return h.ask(b, http.MethodGet, own("order"), "", nil).Status == "held"
		})
	}
	first := h.ask(winners[0], http.MethodGet, own("order"), "", nil)

	h.Kill()
	h.open()
	eventually(t, "seven units are left", func() bool { return h.status().StockLeft == 7 })
	if again := h.ask(winners[0], http.MethodGet, own("order"), "", nil); again != first {
		t.Errorf("after the restart the order is %+v, want %+v", again, first)
	}
	if a := h.buy(winners[0]); a.code != http.StatusConflict || a.Status != "already_bought" || a.Reservation != first.Reservation {
		t.Errorf("a winner who buys again is told %+v, want already bought, %s", a, first.Reservation)
	}
	if a := h.ask(winners[0], http.MethodPost, "/checkout/pay", "", map[string]string{"reservation": first.Reservation}); a.Status != "paid" {
		t.Errorf("paying after the restart: %+v, want paid", a)
	}
	if got := len(h.shop(3, 14)); got != 7 {
		t.Errorf("%d more were sold, want 7", got)
	}
}
