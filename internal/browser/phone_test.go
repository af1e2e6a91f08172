package browser_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// TestPhoneWithWrongClock: whatever a phone takes for the time, its page counts
// down to the draw and to the end of a hold by the server's clock, and changes at
// the draw.
func TestPhoneWithWrongClock(t *testing.T) {
	t.Parallel()
	const countdown = "document.querySelector('[data-seconds]').textContent"
	for _, phone := range []struct {
		name   string
		server time.Duration // ahead of the phone
	}{
		{"two days ahead", -48 * time.Hour}, {"three hours behind", 3 * time.Hour}, {"right", 0},
		{"a year behind", 365 * 24 * time.Hour}, {"ahead by less than a poll", -20 * time.Second},
	} {
		t.Run(phone.name, func(t *testing.T) {
			t.Parallel()
			e := openingOn(t, phone.server, 7, 8*time.Minute)
			w := open(t, e.line())
			w.Shows(countdown, "7:5")
			e.seen(w)
			w.Shows(countdown, "7:5") // the status has not moved it
			e.tell(fields{"opens": e.now().Add(3 * time.Second).UnixMilli()})
			e.seen(w)
			w.Shows(countdown, "One moment")
			e.draw(nil)
			w.Shows(page, "waiting")

			held := openingOn(t, phone.server, 7, -time.Minute)
			held.page, held.view.PayIn = static.Held, 10*time.Minute
			held.order = fields{"reservation": "r", "status": "held", "pay_before": held.now().Add(6 * time.Minute).UnixMilli(), "checkout": "/c"}
			w = open(t, held.line())
			w.Shows(countdown, "9:5")
			w.Looks()
			w.Shows(countdown, "5:5") // as the order says, once it was asked
		})
	}
}
