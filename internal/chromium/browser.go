// Package chromium starts one headless Chromium for the tests of a package and
// gives each test windows of its own.
//
// It never uses a browser or a profile that is there already, and reaches nothing
// but what a test opens in it.
package chromium

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// flags keep it from asking, and from talking to anybody of its own accord.
var flags = []string{
	"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
	"disable-background-networking", "disable-component-update", "disable-sync",
}

// Browser is one running Chromium.
type Browser struct {
	ctx  context.Context
	ends []func() // in the order of their begin
}

// Start starts the browser with a new profile. Options come on top of those that
// keep it quiet, see [chromedp.Flag].
func Start(options ...chromedp.ExecAllocatorOption) (*Browser, error) {
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, fmt.Errorf("make profile: %w", err)
	}
	all := []chromedp.ExecAllocatorOption{chromedp.ExecPath("chromium"), chromedp.UserDataDir(profile)}
	for _, flag := range flags {
		all = append(all, chromedp.Flag(flag, true))
	}
	b := &Browser{ends: []func(){func() { _ = os.RemoveAll(profile) }}}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), append(all, options...)...)
	b.ends = append(b.ends, stop)
	ctx, quit := chromedp.NewContext(allocated)
	b.ctx, b.ends = ctx, append(b.ends, quit)
	if err := chromedp.Do(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("start chromium: %w", err)
	}
	return b, nil
}

// Close ends the browser and forgets its profile.
func (b *Browser) Close() {
	for i := len(b.ends) - 1; i >= 0; i-- {
		b.ends[i]()
	}
}

// Own is Open in the browser's own profile, whose cookies stay when it is started
// again with the same.
func (b *Browser) Own(t *testing.T, address string, expected ...string) *Window {
	t.Helper()
	return b.open(t, address, expected, chromedp.WithNewWindow(true))
}

// Open gives one person a window, with cookies of its own, and goes to an
// address. Whatever a page complains of on its console (a fault, a violation of
// its policy, a file that is not there) fails the test, but for what has one of the
// expected texts in it. The window closes with it.
func (b *Browser) Open(t *testing.T, address string, expected ...string) *Window {
	t.Helper()
	return b.open(t, address, expected, chromedp.WithNewBrowserContext(), chromedp.WithNewWindow(true))
}

func (b *Browser) open(t *testing.T, address string, expected []string, how ...chromedp.ContextOption) *Window {
	t.Helper()
	ctx, leave := chromedp.NewContext(b.ctx, how...)
	w := &Window{t: t, ctx: ctx}
	complaints := chromedp.Console(ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for message, err := range complaints {
			if err != nil {
				return // the window was closed
			}
			known := slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(message.Text, text) })
			if message.Type != "debug" && message.Type != "info" && !known {
				t.Errorf("the console says: %s %s", message.Text, message.URL)
			}
		}
	})
	t.Cleanup(func() {
		leave()
		reading.Wait()
	})
	w.Do(chromedp.Navigate(address))
	return w
}
