package browser_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// TestNear: who is called within a minute is nearly there, and stays so until the line
// stops: nobody is sent back and forth.
func TestNear(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 200})
	w := open(t, e.line())
	w.Shows(page, "waiting")
	for _, step := range []struct {
		say  fields
		page string
	}{
		{fields{"head": place - 100}, "near"},                // 50 s
		{fields{"rate": 1.0}, "near"},                        // 100 s, by the new rate alone
		{fields{"head": place - 99, "eta_ahead": 5}, "near"}, // nobody can tell any more
		{fields{"state": "paused"}, "paused"},
		{fields{"state": "open"}, "waiting"}, // and is told nothing that may be wrong
		{fields{"eta_ahead": nil, "rate": 2.0}, "near"},
		{fields{"rate": 0.0}, "waiting"}, // nothing moves
	} {
		e.tell(step.say)
		e.seen(w)
		w.Shows(page, step.page)
	}
	if n := e.private(); n != 0 {
		t.Errorf("%d private questions were asked, want none", n)
	}
}

// TestNotNearTheEnd: that a sale closes soon brings nobody nearer.
func TestNotNearTheEnd(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 300, "closes": e.now().Add(50 * time.Second).UnixMilli()})
	w := open(t, e.line())
	e.seen(w)
	w.Shows(page, "waiting")
}

// TestNearInRoom: a room has the same, in its own words.
func TestNearInRoom(t *testing.T) {
	t.Parallel()
	e := roomEdge(t, 40, time.Minute)
	w := open(t, e.room())
	w.Shows(page, "near")
	w.Shows(heading, "You are nearly there")
	w.Shows(words, "the page you asked for opens here by itself")
	if got := w.Says("document.querySelectorAll('li').length"); got != "2" {
		t.Errorf("there are %s steps, want the room's two", got)
	}
	e.become(static.Turn) // any other
	e.tell(fields{"head": 51})
	e.seen(w)
	w.Shows("location.href", "/shop/deep?link=kept")
	w.Shows(page, "turn")
}
