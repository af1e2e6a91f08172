package browser_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// stand changes what the edge says of this shopper.
func (e *edge) stand(me fields) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.me = me
}

// allHeld opens the page of somebody who was called and found nothing left, and is
// told to ask again after so long.
func allHeld(t *testing.T, poll time.Duration) (*edge, *window) {
	t.Helper()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"state": "all_held", "stock_left": 0, "stock_held": 100})
	e.tell(fields{"head": place + 1})
	e.stand(fields{"state": "sold_out", "place": place, "poll_after_ms": poll.Milliseconds()})
	e.become(static.AllHeld)
	w := open(t, e.line())
	w.Shows(page, "all_held")
	until(t, "a question for the shopper's own standing", func() bool { return e.questions("me") > 0 })
	return e, w
}

// TestNextForAUnit: whom an edge tells to ask soon asks it for their own standing, and
// so has a unit that comes back before a status of before is nowhere any more.
func TestNextForAUnit(t *testing.T) {
	t.Parallel()
	e, w := allHeld(t, 550*time.Millisecond)
	before := e.questions("me")
	until(t, "the next question", func() bool { return e.questions("me") > before })
	w.Shows(page, "all_held")
	e.become(static.Turn)
	e.stand(fields{"state": "called", "poll_after_ms": 1000})
	back := time.Now()
	w.Shows(page, "turn")
	if took := time.Since(back); took > 3*time.Second { // 1.25 s, and what a busy machine takes
		t.Errorf("the turn is shown after %v", took)
	}
}

// TestFartherFromAUnit: everybody else asks for the status, which is the same for all.
func TestFartherFromAUnit(t *testing.T) {
	t.Parallel()
	e, w := allHeld(t, 2500*time.Millisecond)
	for range 3 {
		e.seen(w)
	}
	w.Shows(page, "all_held")
	if n := e.questions("me"); n != 1 {
		t.Errorf("%d private questions were asked, want the first one alone", n)
	}
}
