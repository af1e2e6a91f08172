package ledger_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/ledger"
)

// Whatever happens to an order, in whatever order: it counts exactly while it
// is live, it is written once, and a paid one stays paid.
func TestOrderStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		status, units := ledger.Status(""), 0
		for _, why := range rapid.SliceOf(rapid.SampledFrom([]string{"held", "paid", "expired", "cancelled", "reheld", "refunded"})).Draw(t, "causes") {
			next, ok := status.After(why)
			switch {
			case !ok && next != status:
				t.Fatalf("%s refused at %q, and yet it moved to %q", why, status, next)
			case ok && status == ledger.Paid:
				t.Fatalf("%s moved a paid order to %q", why, next)
			case ok && why == "held" && status != "":
				t.Fatalf("order at %q written again", status)
			}
			units += ledger.Share(status, next)
			status = next
			want := 0
			if status.Live() {
				want = 1
			}
			if units != want {
				t.Fatalf("at %q: counts %d times, want %d", status, units, want)
			}
		}
	})
}
