package browser_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// TestInvited: who is invited is told nothing of a lottery, also not after a
// break, and gets the button with the opening.
func TestInvited(t *testing.T) {
	t.Parallel()
	e := opening(t, 0, time.Hour)
	e.page, e.view.HasNumber = static.Paused, false
	e.me = fields{"state": "lottery", "invited": true, "poll_after_ms": 1000}
	e.tell(fields{"state": "paused"})
	w := open(t, e.line())
	w.Shows(page, "paused")
	e.become(static.Invited)
	e.tell(fields{"state": "doors"})
	e.seen(w)
	w.Shows(page, "invited")
	w.Shows("document.getElementById('number')", "null")

	e.mu.Lock()
	e.me, e.page = fields{"state": "called", "invited": true, "ahead": 0, "poll_after_ms": 1000}, static.Turn
	e.mu.Unlock()
	e.draw(nil)
	e.seen(w)
	w.Shows(page, "turn")
}
