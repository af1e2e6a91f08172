package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// fact is what the page says under a name; empty where that is not shown.
func fact(name string) string {
	return fmt.Sprintf("(f => f && !f.parentNode.hidden ? f.textContent : '')(document.getElementById(%q))", name)
}

// thresholds are those of the chance, in people ahead.
func thresholds(good, better, less, small any) fields {
	return fields{"good": good, "better_than_even": better, "less_than_even": less, "small": small}
}

// TestCalledBack: who was told that it is hopeless is told the honest numbers, and
// by the same page that there is a chance again: once, in the tab's title, and in
// words for those who do not see it. Nothing private is asked for that.
func TestCalledBack(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100, "stock_left": 3, "stock_held": 12})
	ahead := place - 100
	e.tell(fields{"hopeless_ahead": ahead - 1, "odds_ahead": thresholds(1, 2, 5, ahead-9)})
	w := open(t, e.line())
	w.Shows(page, "hopeless")
	w.Shows(heading, "Very likely gone before your turn")
	w.Shows(fact("ahead"), fmt.Sprint(ahead))
	w.Shows(fact("left"), "3")
	w.Shows(fact("held"), "12")
	w.Shows(said, "Very likely gone before your turn.")
	w.Shows("document.title", "Very unlikely · Golden toy")

	e.tell(fields{"hopeless_ahead": ahead + 1, "stock_left": 40, "odds_ahead": thresholds(1, 2, 5, ahead-9)})
	e.seen(w)
	w.Shows(page, "chance")
	w.Shows(heading, "There is a chance again")
	w.Shows("document.title", "A chance again · Golden toy")
	w.Shows(said, fmt.Sprintf("There is a chance again. %d people ahead of you. Your turn comes in ", ahead))
	w.Shows(fact("odds"), "small")
	w.Shows("document.body.className", "glad")
	w.Shows("document.querySelectorAll('h1').length", "1")

	e.tell(fields{"state": "all_held", "stock_left": 0}) // it is no other story in between
	e.seen(w)
	w.Shows(page, "all_held")
	e.tell(fields{"state": "open", "stock_left": 1})
	e.seen(w)
	w.Shows(page, "chance")
	if n := e.private(); n != 0 {
		t.Errorf("%d private questions were asked, want none", n)
	}
	e.become(static.Turn)
	e.tell(fields{"head": place + 1})
	e.seen(w)
	w.Shows(page, "turn")
}

// TestHopelessCallsBackUnseen: the page that promised to call back keeps asking
// when nobody looks, and its title tells.
func TestHopelessCallsBackUnseen(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100})
	e.tell(fields{"hopeless_ahead": place - 101}) // next to be called back: asks every 10 seconds
	w := open(t, e.line())
	w.Shows(page, "hopeless")
	w.Says(`Object.defineProperty(document, 'hidden', { get: () => true, configurable: true }),
		document.dispatchEvent(new Event('visibilitychange'))`)
	e.tell(fields{"hopeless_ahead": nil})
	w.Shows("document.title", "A chance again · Golden toy")
	before := e.questions("status")
	<-time.After(5 * time.Second) // from here on it is a page in line, and those keep still
	if n := e.questions("status") - before; n != 0 {
		t.Errorf("hidden and called back, it asked %d times", n)
	}
}

// TestOddsInWords: the chance follows what everybody is told, and is said aloud
// when it is another; what nobody can tell is not shown as a guess.
func TestOddsInWords(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100})
	n := place - 100
	w := open(t, e.line())
	w.Shows(page, "waiting")
	for _, step := range []struct {
		odds any
		want string
	}{
		{thresholds(n, n+10, n+20, n+30), "good"},
		{thresholds(n-1, n, n+20, n+30), "better than even"},
		{thresholds(n-2, n-1, n+1, n+30), "hard to say yet"},
		{thresholds(n-3, n-2, n, n+1), "less than even"},
		{thresholds(n-4, n-3, n-1, n), "small"},
		{thresholds(nil, nil, nil, n), "small"},
		{thresholds(n, nil, nil, nil), "good"},
	} {
		e.tell(fields{"odds_ahead": step.odds})
		e.seen(w)
		w.Shows(fact("odds"), step.want)
		w.Shows(said, "Your chance to get one: "+step.want+".")
	}
	e.tell(fields{"odds_ahead": nil})
	e.seen(w)
	w.Shows(fact("odds")+" || 'none'", "none")
	w.Shows("document.getElementById('because').textContent", "It was drawn by lot")
}

// TestAllHeldThenFinal: while some may come back the page says how many; when none
// can, that it is over.
func TestAllHeldThenFinal(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	e.draw(fields{"head": 100, "odds_ahead": thresholds(nil, nil, nil, 5)})
	e.tell(fields{"state": "all_held", "stock_left": 0, "stock_held": 37})
	w := open(t, e.line())
	w.Shows(page, "all_held")
	w.Shows(fact("held"), "37")
	w.Shows(fact("odds"), "small")
	e.tell(fields{"stock_held": 2})
	e.seen(w)
	w.Shows(fact("held"), "2")
	e.tell(fields{"state": "sold_out", "stock_held": 0, "hopeless_ahead": 0})
	e.seen(w)
	w.Shows(page, "sold_out")
	w.Shows(words, "None will come back")
}

// TestBehindTheDraw: an entry that was put there says so before the draw, and
// finds its place behind all who were drawn without asking anybody.
func TestBehindTheDraw(t *testing.T) {
	t.Parallel()
	e := opening(t, 3, time.Hour)
	e.page, e.view.Behind = static.Behind, true
	w := open(t, e.line())
	w.Shows(heading, "This entry stands behind the draw")
	e.seen(w)
	w.Shows(page, "behind")
	e.draw(fields{"head": 100})
	e.seen(w)
	w.Shows(page, "waiting")
	w.Shows("document.getElementById('ahead').textContent", "903")
	w.Shows("document.getElementById('because').textContent", "This entry stands behind the draw")
	w.Do(chromedp.Focus("#proof summary"), chromedp.KeyEvent(" "))
	w.Shows(verdict, "Everything fits.")
	w.Shows("document.getElementById('proof-steps').textContent", "its number 3 gives place 1,003")
	if n := e.private(); n != 0 {
		t.Errorf("%d private questions were asked, want none", n)
	}
}

// TestCalledBackWithoutScript: the refresh leads who was told to where it is said
// that there is a chance again, at 320 pixels too.
func TestCalledBackWithoutScript(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	e.page = static.Hopeless
	e.view.Place, e.view.HasPlace, e.view.Drawn, e.view.Ahead = 900, true, 1000, 800
	e.view.StockLeft, e.view.StockHeld, e.view.Odds, e.view.Refresh = 3, 12, "small", 2*time.Second
	w := open(t, "about:blank")
	w.WithoutScript()
	w.Do(chromedp.EmulateViewport(320, 800), chromedp.Navigate(e.line()))
	w.Shows(heading, "Very likely gone before your turn")
	w.Shows(fact("held"), "12")
	w.Shows("document.documentElement.scrollWidth <= innerWidth", "true")
	e.become(static.Chance)
	w.Shows(heading, "There is a chance again")
	w.Shows("location.search", "?told")
	w.Shows(fact("odds"), "small")
	w.Shows("document.documentElement.scrollWidth <= innerWidth", "true")
	if n := e.questions("status"); n != 0 {
		t.Errorf("without script the status was asked %d times", n)
	}
}
