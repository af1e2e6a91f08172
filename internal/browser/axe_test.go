package browser_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// axe is what judges pages. The browser's own debugger runs it in a page, which is the
// one way past a policy that lets no page run anything but its own script; the policy
// itself stays in force.
var axe = sync.OnceValues(func() (string, error) {
	script, err := os.ReadFile("testdata/node_modules/axe-core/axe.min.js")
	if err != nil {
		return "", fmt.Errorf("%w; make deps installs it", err)
	}
	return string(script) + "; axe.version", nil
})

// judge asks axe for what it finds wrong, and for texts over grounds that it cannot tell
// the colour of (a gradient): of those, all grounds that they may stand on are tried.
const judge = `(async () => {
	await Promise.all(document.getAnimations().map(a => a.finished.catch(() => 0)));
	const found = await axe.run({ resultTypes: ['violations', 'incomplete'],
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
	const wrong = found.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.target + ': ' + n.failureSummary));
	const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	const rgb = colour => {
		paint.fillStyle = '#000'; paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1);
		return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const shine = colour => rgb(colour).map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
	const contrast = (a, b) => (Math.max(shine(a), shine(b)) + .05) / (Math.min(shine(a), shine(b)) + .05);
	let open = 0;
	for (const rule of found.incomplete) for (const node of rule.nodes) {
		open++;
		if (rule.id !== 'color-contrast') { wrong.push('cannot tell ' + rule.id + ': ' + node.target + ': ' + node.failureSummary); continue; }
		const style = getComputedStyle(document.querySelector(node.target[0])), root = getComputedStyle(document.body);
		const grounds = style.backgroundColor.endsWith(', 0)') ? ['--paper', '--sheet', '--wash'].map(n => root.getPropertyValue(n)) : [style.backgroundColor];
		for (const ground of grounds) {
			const is = contrast(style.color, ground);
			if (is < 4.5) wrong.push('contrast ' + is.toFixed(2) + ': ' + node.target + ': ' + style.color + ' on ' + ground);
		}
	}
	return wrong.join('\n') || 'nothing wrong, passes ' + found.passes.length + ', open ' + open;
})()`

// judged has axe look at the page as it is, and gives what is wrong with it.
func (w *window) judged(t *testing.T) string {
	t.Helper()
	script, err := axe()
	if err != nil {
		t.Fatal(err)
	}
	if w.Says("typeof axe") != "object" {
		w.Do(chromedp.Evaluate[chromedp.Void](script))
	}
	if said := w.Says(judge); !strings.HasPrefix(said, "nothing wrong") {
		return said
	}
	return ""
}

// TestAccessible: axe finds nothing wrong with any page at any moment, in the light and
// in the dark, on a narrow phone and on a desk, from the left and from the right. Unless
// all is wanted, a page is in one light.
func TestAccessible(t *testing.T) {
	t.Parallel()
	langs := []string{"en", "de", "ar", "ja"}
	if everything {
		langs = allLanguages
	}
	scenes := look(t).everyPage(t, langs...)
	turn := map[scene]int{}
	for i, s := range scenes {
		turn[s] = (i + i/len(langs)) % 2 // each language in both
	}
	each(t, scenes, func(t *testing.T, w *window, s scene) {
		t.Helper()
		at := ""
		for i, device := range []string{light, dark} {
			if !everything && i != turn[s] {
				continue
			}
			w.prefers(device)
			width := []int64{320, 1280}[i]
			w.size(width, 800)
			if at == "" {
				at = look(t).at(s)
				w.Goes(at)
			}
			if wrong := w.judged(t); wrong != "" {
				t.Errorf("%s, %s, %d pixels wide:\n%s", s, device, width, wrong)
			}
		}
	})
}

// TestAccessibleOnceChanged: nor is there anything wrong once a page has changed under
// its reader, or the reader has unfolded what is folded.
func TestAccessibleOnceChanged(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 300})
	w := &window{chrome.Open(t, e.line(), "ERR_INTERNET_DISCONNECTED"), t}
	w.size(320, 640)
	w.Shows(page, "waiting")
	still := func(when string) {
		t.Helper()
		for _, device := range []string{light, dark} {
			w.prefers(device)
			if wrong := w.judged(t); wrong != "" {
				t.Errorf("%s, %s:\n%s", when, device, wrong)
			}
		}
	}
	w.Says("document.querySelector('.languages').open = true")
	w.Do(chromedp.Focus("#proof summary"), chromedp.KeyEvent(" "))
	w.Shows(verdict, "The place fits.")
	still("the languages and the proof are unfolded")
	for _, step := range []struct {
		say  fields
		page static.Page
	}{
		{fields{"message": "A little patience: the payment service is slow."}, static.Waiting},
		{fields{"state": "paused"}, static.Paused},
		{fields{"state": "open", "hopeless_ahead": 200}, static.Hopeless},
		{fields{"hopeless_ahead": nil}, static.Chance},
		{fields{"state": "all_held"}, static.AllHeld},
		{fields{"state": "open", "head": place - 6}, static.Near},
	} {
		e.tell(step.say)
		e.seen(w)
		w.Shows(page, string(step.page))
		still("changed to " + string(step.page))
	}
	w.away(true)
	w.Shows("document.getElementById('lost').hidden", "false")
	still("the network is away")
}

// TestJudge: a fault is found where there is one.
func TestJudge(t *testing.T) {
	t.Parallel()
	w := open(t, "data:text/html,"+url.PathEscape(`<!doctype html><html lang="en"><title>Bad</title>
<style>body { --paper: #fff; --sheet: #fff; --wash: #fff } b { color: #999; background: #fff } div { background: linear-gradient(#fff, #eee); color: #777 }</style>
<link rel=icon href=data:,><main><h1>Bad</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><b>Pale</b><div>Pale on a gradient</div></main>`))
	wrong := w.judged(t)
	for _, want := range []string{"image-alt: img", "color-contrast: b", "contrast 4.48: div"} {
		if !strings.Contains(wrong, want) {
			t.Errorf("it does not see %s:\n%s", want, wrong)
		}
	}
}
