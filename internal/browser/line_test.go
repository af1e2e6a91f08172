package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// TestDrawInPlace: at the draw the lottery's page becomes the line's, without a
// question that only this shopper could ask.
func TestDrawInPlace(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, 3*time.Second)
	w := open(t, e.line())
	w.Shows(heading, "You are in the draw")
	w.Says("scrollTo(0, 120)")
	e.untilOpen()
	ahead := e.draw(nil)
	w.Shows(page, "waiting")
	w.Shows("document.getElementById('ahead').textContent", fmt.Sprint(ahead))
	w.Shows(heading, "You are in line")
	w.Shows(said, fmt.Sprintf("You are in line. %d people ahead of you. Your turn comes in ", ahead))
	w.Shows("document.getElementById('wait').textContent", fmt.Sprintf("%d to %d minutes", ahead/120, (ahead+1+119)/120))
	w.Shows("document.title", fmt.Sprintf("%d ahead · Golden toy", ahead))
	w.Shows("document.getElementById('meter').max", fmt.Sprint(ahead))
	w.Shows("document.querySelectorAll('h1').length", "1")
	w.Shows("scrollY", "120")
	if n := e.private(); n != 0 {
		t.Errorf("%d private questions were asked, want none", n)
	}
}

// TestStandingInPlace: whatever the shared status says of everybody is shown
// without a private question, and taken back the same way.
func TestStandingInPlace(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100})
	w := open(t, e.line()) // an edge that was a moment behind
	w.Shows(page, "waiting")
	if place < 300 {
		t.Fatalf("place %d, want one far back", place)
	}
	for _, step := range []struct {
		say  fields
		page static.Page
		tone string
	}{
		{fields{"hopeless_ahead": place - 100}, static.Hopeless, "sorry"},
		{fields{"hopeless_ahead": place - 99}, static.Chance, "glad"},
		{fields{"state": "paused"}, static.Paused, "calm"},
		{fields{"state": "open"}, static.Chance, "glad"},
		{fields{"state": "all_held"}, static.AllHeld, "calm"},
		{fields{"hopeless_ahead": 0}, static.Hopeless, "sorry"},
		{fields{"state": "sold_out"}, static.SoldOut, "sorry"},
		{fields{"state": "open", "hopeless_ahead": nil, "message": "more of them"}, static.Chance, "glad"},
		{fields{"state": "ended"}, static.Ended, "sorry"},
	} {
		e.tell(step.say)
		e.seen(w)
		w.Shows(page, string(step.page))
		w.Shows("document.body.className", step.tone)
		if step.page == static.Chance {
			w.Shows("document.getElementById('ahead-label').textContent", "people ahead of you")
		}
	}
	w.Shows("document.querySelector('a.shop').href", e.URL+"/toys/golden")
	if n := e.private(); n != 0 {
		t.Errorf("%d private questions were asked, want none", n)
	}
}

// TestTurn: the shopper's own turn is asked for, and the page loaded anew.
func TestTurn(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 0})
	w := open(t, e.line())
	w.Shows(page, "waiting")
	if n := e.private(); n != 0 {
		t.Errorf("%d private questions were asked before the turn, want none", n)
	}
	e.become(static.Turn)
	e.tell(fields{"head": place + 1})
	e.seen(w)
	w.Shows(page, "turn")
	if me, line := e.questions("me"), e.questions("line"); me != 1 || line != 2 {
		t.Errorf("me was asked %d times and the page %d times, want once and twice", me, line)
	}
}

// TestHidden: a page that nobody looks at asks nothing, and asks at once when
// somebody looks again.
func TestHidden(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100})
	e.tell(fields{"head": place - 8}) // so near that it asks every other second
	w := open(t, e.line())
	w.Shows(page, "near")
	w.hide(true)
	time.Sleep(time.Second) // what was under way
	before := e.questions("status")
	time.Sleep(6 * time.Second)
	if n := e.questions("status") - before; n != 0 {
		t.Errorf("hidden, it asked %d times", n)
	}
	w.hide(false)
	time.Sleep(time.Second)
	if n := e.questions("status") - before; n != 1 {
		t.Errorf("shown again, it asked %d times within a second, want once", n)
	}
}

// TestFocusIsNotLost: a keyboard that stood on what is gone stands on the new
// heading; one that stood elsewhere stays.
func TestFocusIsNotLost(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"hopeless_ahead": 10})
	w := open(t, e.line())
	w.Shows(page, "hopeless")
	w.Shows("document.activeElement.tagName", "BODY")
	w.Do(chromedp.Focus("a.shop"))
	e.tell(fields{"hopeless_ahead": nil, "head": place - 200})
	e.seen(w)
	w.Shows(page, "chance")
	w.Shows("document.activeElement.tagName", "H1")
}

// TestWithoutNumber: who was only told that the sale is paused has no number
// here; what goes on for them is asked.
func TestWithoutNumber(t *testing.T) {
	t.Parallel()
	e := opening(t, 0, -time.Minute)
	e.page, e.view.HasNumber = static.Paused, false
	e.draw(fields{"state": "paused"})
	e.me = fields{"state": "hopeless", "number": 4, "place": 900, "poll_after_ms": 20000}
	w := open(t, e.line())
	time.Sleep(4 * time.Second)
	if n := e.private(); n != 0 {
		t.Errorf("paused, %d private questions were asked, want none", n)
	}
	e.tell(fields{"state": "open"})
	e.seen(w)
	w.Shows(page, "hopeless")
}

// TestNoTimeInPlace: who has to wait for others to let their passes end is told no
// time, as soon as it is so and for as long.
func TestNoTimeInPlace(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100})
	const wait = "document.getElementById('wait').parentNode.hidden"
	w := open(t, e.line())
	w.Shows(page, "waiting")
	for _, step := range []struct {
		ahead  any
		hidden string
	}{{nil, "false"}, {place - 100, "true"}, {place - 99, "false"}, {0, "true"}} {
		e.tell(fields{"eta_ahead": step.ahead})
		e.seen(w)
		w.Shows(wait, step.hidden)
	}
}
