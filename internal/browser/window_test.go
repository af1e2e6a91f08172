package browser_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/internal/chromium"
)

// patience is how long a test waits for what has to come about.
const patience = 3 * time.Minute

// until waits until something is so, and fails when that does not come.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !so(); <-time.After(50 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: did not come within %v", what, patience)
		}
	}
}

// chrome is the browser of this test binary.
var chrome *chromium.Browser

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	err := flag.Set("test.parallel", "4") // people who look at pages wait more than they work
	if err != nil {
		panic(err)
	}
	if chrome, err = chromium.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer chrome.Close()
	defer func() { endGallery() }()
	return m.Run()
}

// window is what one person looks at.
type window struct {
	*chromium.Window
	t *testing.T
}

func open(t *testing.T, address string) *window {
	t.Helper()
	return &window{chrome.Open(t, address), t}
}

// hide lets the window be one that nobody looks at, or one that somebody looks at
// again.
func (w *window) hide(hidden bool) {
	w.t.Helper()
	w.Says(fmt.Sprintf(`Object.defineProperty(document, 'hidden', { get: () => %t, configurable: true }),
		document.dispatchEvent(new Event('visibilitychange'))`, hidden))
}

// inFront lets the window be the one that has the keyboard, whatever other tests do
// with theirs.
func (w *window) inFront() {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}))
}

// Texts of a page.
const (
	page    = "document.body.dataset.page"
	heading = "document.querySelector('h1').textContent"
	said    = "document.getElementById('say').textContent"
	words   = "document.body.innerText"
)
