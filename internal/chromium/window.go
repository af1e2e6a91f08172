package chromium

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is how long a window waits for what has to come about.
const patience = 3 * time.Minute

// Window is what one person looks at. Its methods end the test on a fault, and
// belong to the test's own goroutine.
type Window struct {
	t   *testing.T
	ctx context.Context
}

// Do takes steps, one after the other.
func (w *Window) Do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.t.Fatal(err)
	}
}

// WithoutScript lets no page run a script of its own from now on.
func (w *Window) WithoutScript() {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// SwitchOff ends the whole browser as its owner would, so that it keeps what it keeps.
func (w *Window) SwitchOff() {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, browser.Close, cdp.Empty{})
		return err
	}))
}

// Says evaluates an expression, or waits for a promise, to a text.
func (w *Window) Says(expression string) string {
	w.t.Helper()
	text, err := w.evaluate(expression)
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// Looks has the page ask now, as when somebody looks at it again. On the way from
// one page to the next there is none to ask.
func (w *Window) Looks() {
	_, _ = w.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
}

// Shows waits until an expression is a text that contains want. On the way from
// one page to the next there is nothing to evaluate.
func (w *Window) Shows(expression, want string) {
	w.t.Helper()
	got, err := "", error(nil)
	for limit := time.Now().Add(patience); time.Now().Before(limit); <-time.After(50 * time.Millisecond) {
		if got, err = w.evaluate(expression); err == nil && strings.Contains(got, want) {
			return
		}
	}
	words, _ := w.evaluate("document.body.innerText") // there may be no page at all
	w.t.Fatalf("%s is %q, %v, want %q; the page:\n%s", expression, got, err, want, words)
}

func (w *Window) evaluate(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(String)", chromedp.EvalAwaitPromise))
}

// InZone has the pages take the clocks of a zone for the machine's own.
func (w *Window) InZone(name string) {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
		return err
	}))
}

// Goes goes to an address.
func (w *Window) Goes(address string) {
	w.t.Helper()
	w.Do(chromedp.Navigate(address))
}
