package browser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// size gives the window so many CSS pixels.
func (w *window) size(width, height int64) {
	w.t.Helper()
	w.Do(chromedp.EmulateViewport(width, height))
}

// prefers sets what the reader's device says of them: "prefers-color-scheme: dark".
func (w *window) prefers(features ...string) {
	w.t.Helper()
	var all []*emulation.MediaFeature
	for _, feature := range features {
		name, value, _ := strings.Cut(feature, ": ")
		all = append(all, &emulation.MediaFeature{Name: name, Value: value})
	}
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: all})
		return err
	}))
}

const light, dark = "prefers-color-scheme: light", "prefers-color-scheme: dark"

// away takes the network from the window, or gives it back.
func (w *window) away(away bool) {
	w.t.Helper()
	w.network(network.Conditions{DownloadThroughput: -1, UploadThroughput: -1, Offline: away})
}

// network puts the window behind a network like that.
func (w *window) network(like network.Conditions) {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{&like},
		})
		return err
	}))
}

// sights is how many windows look at pages at the same time.
const sights = 3

// each looks at every scene, a few at a time, each in one window after the other, and
// tells of every fault which scene has it.
func each(t *testing.T, scenes []scene, look func(*testing.T, *window, scene)) {
	t.Helper()
	queue := make(chan scene, len(scenes))
	for _, s := range scenes {
		queue <- s
	}
	close(queue)
	for range sights {
		t.Run("window", func(t *testing.T) {
			t.Parallel()
			w := open(t, "about:blank")
			for s := range queue {
				look(t, w, s)
			}
		})
	}
}
