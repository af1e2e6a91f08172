package browser_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for what has to come about.
const patience = 30 * time.Second

// chromium is the browser of this test binary.
var chromium context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(profile) }()
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath("chromium"), chromedp.UserDataDir(profile)}
	for _, flag := range []string{
		"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
		"disable-background-networking", "disable-component-update", "disable-sync",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var quit context.CancelFunc
	chromium, quit = chromedp.NewContext(allocated)
	defer quit()
	if err := chromedp.Do(chromium); err != nil {
		fmt.Fprintln(os.Stderr, "start chromium:", err)
		return 1
	}
	return m.Run()
}

// window is what one person looks at, with cookies of its own. Whatever the page
// complains of on its console (a fault, a violation of its policy, a file that is
// not there) fails the test.
type window struct {
	t   *testing.T
	ctx context.Context
}

func open(t *testing.T, address string) *window {
	t.Helper()
	ctx, leave := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext(), chromedp.WithNewWindow(true))
	w := &window{t: t, ctx: ctx}
	complaints := chromedp.Console(ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for message, err := range complaints {
			if err != nil {
				return // the window was closed
			}
			if message.Type != "debug" && message.Type != "info" {
				t.Errorf("the console says: %s %s", message.Text, message.URL)
			}
		}
	})
	t.Cleanup(func() {
		leave()
		reading.Wait()
	})
	w.do(chromedp.Navigate(address))
	return w
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.t.Fatal(err)
	}
}

// says evaluates an expression, or waits for a promise, to a text.
func (w *window) says(expression string) string {
	w.t.Helper()
	text, err := w.evaluate(expression)
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

func (w *window) evaluate(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(String)", chromedp.EvalAwaitPromise))
}

// looks has the page ask now, as when somebody looks at it again.
func (w *window) looks() {
	w.t.Helper()
	w.says("document.dispatchEvent(new Event('visibilitychange'))")
}

// shows waits until an expression is a text that contains want. On the way from
// one page to the next there is nothing to evaluate.
func (w *window) shows(expression, want string) {
	w.t.Helper()
	got, err := "", error(nil)
	for limit := time.Now().Add(patience); time.Now().Before(limit); <-time.After(50 * time.Millisecond) {
		if got, err = w.evaluate(expression); err == nil && strings.Contains(got, want) {
			return
		}
	}
	w.t.Fatalf("%s is %q, %v, want %q; the page:\n%s", expression, got, err, want, w.says(words))
}

// Texts of a page.
const (
	page    = "document.body.dataset.page"
	heading = "document.querySelector('h1').textContent"
	said    = "document.getElementById('say').textContent"
	words   = "document.body.innerText"
)
