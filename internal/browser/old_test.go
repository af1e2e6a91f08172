package browser_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// lacks has the pages of the window from now on run in a browser where that was done.
func (w *window) lacks(act string) {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: act})
		return err
	}))
}

// TestOlderPhones: what came to browsers late is not missed: from the draw to the line,
// and to one's turn.
func TestOlderPhones(t *testing.T) {
	t.Parallel()
	for name, lack := range map[string]string{
		"no plural rules":     "delete Intl.PluralRules",
		"no Intl":             "delete window.Intl",
		"no replaceChildren":  "delete Element.prototype.replaceChildren; delete DocumentFragment.prototype.replaceChildren",
		"no AbortController":  "delete window.AbortController",
		"no flatMap, no flat": "delete Array.prototype.flatMap; delete Array.prototype.flat",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := opening(t, 7, 20*time.Second) // it has to see the seal before
			w := open(t, "about:blank")
			w.lacks(lack)
			w.Goes(e.line())
			w.Shows(page, "lottery")
			e.untilOpen()
			ahead := e.draw(nil)
			w.Shows(page, "waiting")
			w.Shows("document.getElementById('ahead').textContent", fmt.Sprint(ahead))
			w.Shows("document.getElementById('ahead-label').textContent", "people ahead of you")
			w.Says("document.querySelector('#proof summary').click()")
			w.Shows("document.getElementById('proof-verdict').textContent", "Everything fits")
			if hidden := w.Says("document.getElementById('lost').hidden"); hidden != "true" {
				t.Error("says that the connection is lost")
			}
			e.become(static.Turn)
			e.stand(fields{"state": "called", "place": ahead, "poll_after_ms": 1000})
			e.tell(fields{"head": ahead + 1})
			e.seen(w)
			w.Shows(page, "turn")
		})
	}
}

// TestScriptThatDoesNotGetThrough: where the script fails at its start, or later by a fault
// that is not the network's, the page renews itself as it does without script, and shows
// the turn.
func TestScriptThatDoesNotGetThrough(t *testing.T) {
	t.Parallel()
	for name, lack := range map[string]string{
		"at its start": "window.performance.now = () => { throw new Error('of another time') }",
		"later":        "Number.isSafeInteger = () => { throw new Error('of another time') }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := opening(t, 7, -time.Minute)
			e.draw(nil)
			e.view.Refresh = 2 * time.Second
			w := &window{chrome.Open(t, "about:blank", "of another time"), t}
			w.lacks(lack)
			w.Goes(e.line())
			e.become(static.Turn)
			w.Shows(page, "turn")
			if n := e.questions("line"); n < 2 {
				t.Errorf("the page was given %d times, want anew", n)
			}
		})
	}
}

// TestScriptGetsThrough: a page whose script works is not renewed by what watches it.
func TestScriptGetsThrough(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	e.draw(nil)
	e.view.Refresh = time.Second
	w := open(t, e.line())
	w.Shows(page, "waiting")
	<-time.After(3 * time.Second)
	if n := e.questions("line"); n != 1 {
		t.Errorf("the page was given %d times, want once", n)
	}
}

// TestRenewsBehindAFragment: an address with a # in it is loaded anew as any other.
func TestRenewsBehindAFragment(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	w := open(t, e.line()+"#reviews")
	w.Shows(page, "waiting")
	e.become(static.Turn)
	e.stand(fields{"state": "called", "place": place, "poll_after_ms": 1000})
	e.tell(fields{"head": place + 1})
	e.seen(w)
	w.Shows(page, "turn")
	w.Shows("location.hash", "#reviews")
}

// TestFieldsNamedAsParts: what was chosen may be called as something that forms have
// of their own.
func TestFieldsNamedAsParts(t *testing.T) {
	t.Parallel()
	e, w := pressed(t)
	e.view.Kept = "size=42&querySelector=1&addEventListener=1&submit=1&id=1&contains=1&target=1&elements=1"
	w.visit(e)
	w.Shows("document.getElementById('auto').innerText", "it goes on by itself now")
	w.Shows(page, "held")
	if got := e.sold(); !slices.Equal(got, []string{"42"}) {
		t.Errorf("bought %q, want the size that was chosen, once", got)
	}
}
