package browser_test

import (
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// soon is how long a page that would go on by itself is given for that.
const soon = 7 * time.Second

// pressed is the turn of somebody who pressed buy before, and has not opened its page
// yet.
func pressed(t *testing.T) (*edge, *window) {
	t.Helper()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place + 1})
	e.stand(fields{"state": "called", "place": place, "poll_after_ms": 1000})
	e.become(static.Turn)
	e.view.Pressed, e.view.Kept = true, "size=42%2B&colour=red"
	w := open(t, "about:blank")
	w.inFront()
	return e, w
}

// visit opens the page of the line in the window.
func (w *window) visit(e *edge) {
	w.t.Helper()
	w.Do(chromedp.Navigate(e.line()))
	w.Shows(page, "turn")
}

// still fails if more was bought than that.
func (e *edge) still(t *testing.T, bought ...string) {
	t.Helper()
	time.Sleep(soon)
	if got := e.sold(); !slices.Equal(got, bought) {
		t.Errorf("bought %q, want %q", got, bought)
	}
}

// TestGoesOn: for who pressed buy before and is there, the form is sent by itself, with
// what was chosen, after the page has said so; and once, also for who comes back to it.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	e, w := pressed(t)
	w.visit(e)
	w.Shows("document.getElementById('auto').innerText", "it goes on by itself now")
	w.Shows("document.getElementById('alarm').textContent", "It is your turn. You pressed buy before, so it goes on by itself now.")
	if got := e.sold(); len(got) != 0 {
		t.Errorf("bought %q before there was a moment to read", got)
	}
	w.Shows(page, "held")
	if got := e.sold(); !slices.Equal(got, []string{"42+"}) {
		t.Errorf("bought %q, want the size that was chosen, once", got)
	}
	w.Says("history.back()")
	w.Shows(page, "turn")
	e.still(t, "42+")
	w.Do(chromedp.Reload())
	w.Shows(page, "turn")
	e.still(t, "42+")
	w.Shows("document.getElementById('auto').hidden", "true")
}

// TestGoesOnInNoCircle: after a no, the next turn is left to the button for a while.
func TestGoesOnInNoCircle(t *testing.T) {
	t.Parallel()
	e, w := pressed(t)
	e.answer = static.AllHeld
	w.visit(e)
	until(t, "the first press", func() bool { return len(e.sold()) == 1 })
	w.Shows(page, "turn") // called all the same
	e.still(t, "42+")
	w.Says("document.querySelector('#buy button').click()")
	until(t, "a press of their own", func() bool { return len(e.sold()) == 2 })
}

// TestDoesNotGoOn: for whom the form waits.
func TestDoesNotGoOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		change  func(*edge)
		prepare string // on another page of the tab
		then    string // on its own
	}{
		{name: "opened the page only", change: func(e *edge) { e.view.Pressed = false }},
		{name: "what was chosen is lost", change: func(e *edge) { e.view.Lost = true }},
		{name: "nobody has used it for long", prepare: "sessionStorage.setItem('waitroom used', Date.now() - 6 * 60000)"},
		{name: "nobody looks", then: "Object.defineProperty(document, 'hidden', { get: () => true }), document.dispatchEvent(new Event('visibilitychange'))"},
		{name: "another window is in front", then: "document.hasFocus = () => false, dispatchEvent(new Event('blur'))"},
		{name: "another tab does it", then: "void navigator.locks.request('waitroom auto toy', () => new Promise(() => {}))"},
		{name: "nothing can be remembered", then: "Object.defineProperty(window, 'localStorage', { get() { throw new Error('none') } })"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, w := pressed(t)
			if test.change != nil {
				test.change(e)
			}
			if test.prepare != "" {
				w.Do(chromedp.Navigate(e.URL + "/toys/golden"))
				w.Says(test.prepare)
			}
			w.visit(e)
			if test.then != "" {
				w.Says(test.then)
			}
			e.still(t)
			w.Shows("document.querySelector('#buy button').innerText", "Buy now")
		})
	}
}

// TestGoesOnOnceSomebodyIsThere: who comes back to the window is there.
func TestGoesOnOnceSomebodyIsThere(t *testing.T) {
	t.Parallel()
	e, w := pressed(t)
	w.Do(chromedp.Navigate(e.URL + "/toys/golden"))
	w.Says("sessionStorage.setItem('waitroom used', Date.now() - 6 * 60000)")
	w.visit(e)
	e.still(t)
	w.Do(chromedp.KeyEvent("\t"))
	w.Shows(page, "held")
}

// TestDoubleClick: two presses are one.
func TestDoubleClick(t *testing.T) {
	t.Parallel()
	e, w := pressed(t)
	w.visit(e)
	w.Says("(b => { b.click(); b.click(); })(document.querySelector('#buy button'))")
	w.Shows(page, "held")
	e.still(t, "42+")
}

// TestTimeToAct: where the next one is let in after a minute, the page counts to that,
// and then leaves the button as it is; else it counts to the end of the sale, when
// that is near.
func TestTimeToAct(t *testing.T) {
	t.Parallel()
	const countdown = "document.querySelector('[data-seconds]').textContent"
	e, w := pressed(t)
	e.view.Pressed, e.view.Act = false, 4*time.Second
	w.visit(e)
	w.Shows(words, "left to press the button")
	w.Shows("document.querySelector('.figure').hidden", "true")
	w.Shows("document.querySelector('#buy button').innerText", "Buy now")
	e.mu.Lock()
	e.view.Act, e.view.Closes = 0, 10*time.Minute
	e.mu.Unlock()
	e.tell(fields{"closes": e.now().Add(8 * time.Minute).UnixMilli()})
	w.visit(e)
	w.Shows(words, "until the sale closes")
	w.Shows(countdown, "9:")
	e.seen(w)
	w.Shows(countdown, "7:")
}
