package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// TestBackAndForward: a page that a browser had kept asks where its shopper stands when
// it is shown again, and leads there; nobody goes in a circle.
func TestBackAndForward(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 300})
	w := open(t, e.line())
	w.Shows(page, "waiting")
	w.Says("addEventListener('pageshow', show => { window.kept = show.persisted; })")
	w.Do(chromedp.Navigate(e.URL + "/toys/golden"))
	w.Shows(heading, "The shop")
	e.become(static.Turn)
	e.tell(fields{"head": place + 1})
	w.Says("history.back()")
	w.Shows(page, "turn")
	w.Says("history.forward()")
	w.Shows(heading, "The shop")
	w.Says("history.back()")
	w.Shows(page, "turn")
	loaded := e.questions("line")
	time.Sleep(4 * time.Second)
	if n := e.questions("line") - loaded; n != 0 {
		t.Errorf("the page was loaded %d times more", n)
	}
}

// TestNetworkAway: without a network the page says so, keeps the place, and carries on
// with the first moment in which there is one.
func TestNetworkAway(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 8})
	w := &window{chrome.Open(t, e.line(), "ERR_INTERNET_DISCONNECTED"), t}
	w.Shows(page, "near")
	w.away(true)
	w.Shows("document.getElementById('lost').hidden", "false")
	w.Shows(said, "Your place is kept")
	e.tell(fields{"head": place - 5})
	w.away(false)
	w.Says("dispatchEvent(new Event('online'))")
	w.Shows("document.getElementById('ahead').textContent", "5")
	w.Shows("document.getElementById('lost').hidden", "true")
	if n := e.questions("line"); n != 1 {
		t.Errorf("the page was loaded %d times, want once", n)
	}
}

// TestFragmentSurvives: what a browser alone knows of an address is still there when
// the room lets the shopper in, and when a page of its line was shown in between.
func TestFragmentSurvives(t *testing.T) {
	t.Parallel()
	const deep = "/shop/deep?size=42%2B&ref=a=b&utm=%26#reviews"
	e := roomEdge(t, 0, time.Second)
	w := open(t, "about:blank")
	e.view.RenewAt = "/shop/deep?by=the-line"
	w.Do(chromedp.Navigate(e.URL + deep))
	w.Shows("location.search + location.hash", "?by=the-line#reviews")
	e.mu.Lock()
	e.view.RenewAt = ""
	e.mu.Unlock()
	w.Do(chromedp.Navigate(e.URL + deep))
	w.Shows(page, "waiting")
	e.become(static.Turn) // any other
	e.tell(fields{"head": 51})
	w.Shows(page, "turn")
	if got := w.Says("location.href"); !strings.HasSuffix(got, deep) {
		t.Errorf("the address is %s, want %s", got, deep)
	}
}
