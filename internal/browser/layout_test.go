package browser_test

import (
	"strings"
	"testing"
)

// laid gives what does not fit where it stands: what would have to be scrolled
// sideways, what sticks out, and what is cut off. Names that only the ear gets, and
// what nothing is written in, are left out.
const laid = `(() => {
	const wide = document.documentElement.clientWidth, wrong = [];
	const name = e => e.tagName.toLowerCase() + (e.id && '#' + e.id) + ' ' + JSON.stringify(e.textContent.trim().slice(0, 30));
	if (document.documentElement.scrollWidth > wide) wrong.push('scrolls sideways: ' + document.documentElement.scrollWidth + ' of ' + wide);
	for (const e of document.querySelectorAll('body *')) {
		if (e.closest('.unseen, template, script, svg') || !e.checkVisibility()) continue;
		const box = e.getBoundingClientRect();
		if (!box.width || !box.height) continue;
		if (box.left < -.5 || box.right > wide + .5) wrong.push('sticks out: ' + name(e));
		if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth || e.scrollHeight > e.clientHeight + 4 && getComputedStyle(e).overflowY !== 'visible')
			wrong.push('does not hold ' + name(e));
	}
	for (const e of document.querySelectorAll('h1, h2, .action, #tell button, summary, strong')) {
		if (!e.checkVisibility()) continue;
		const text = document.createRange();
		text.selectNodeContents(e);
		const words = text.toString().trim();
		for (const word of words.split(/\s+/)) {
			const at = e.firstChild && e.firstChild.nodeType === 3 ? e.firstChild.data.indexOf(word) : -1;
			if (at < 0 || /[\u0e00-\u0e7f\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]/.test(word)) continue;
			text.setStart(e.firstChild, at), text.setEnd(e.firstChild, at + word.length);
			if (new Set([...text.getClientRects()].map(r => Math.round(r.top))).size > 1) wrong.push('breaks within ' + word + ' of ' + name(e));
		}
	}
	return wrong.join('\n') || 'fits';
})()`

// spaced is the text spacing that a page has to bear (WCAG 1.4.12).
const spaced = `for (const [name, value] of [['line-height', '1.5'], ['letter-spacing', '.12em'], ['word-spacing', '.16em']])
		for (const e of document.querySelectorAll('body, body *')) e.style.setProperty(name, value, 'important');
	for (const e of document.querySelectorAll('p')) e.style.setProperty('margin-bottom', '2em', 'important')`

// TestLayout: every page fits on 320 CSS pixels, which is what is left of 1280 at 400 %,
// in the language that is its turn (where all is wanted, in every one), with all that is
// folded unfolded, and with letters, words and lines
// as far apart as a reader may set them.
func TestLayout(t *testing.T) {
	t.Parallel()
	g := look(t)
	each(t, g.everyPage(t, allLanguages...), func(t *testing.T, w *window, s scene) {
		t.Helper()
		w.size(320, 256)
		w.Goes(g.at(s))
		for _, step := range []struct{ name, act string }{
			{"as it comes", "''"},
			{"unfolded", "document.querySelectorAll('details').forEach(d => d.open = true)"},
			{"spaced", spaced},
		} {
			w.Says("(() => { " + step.act + " })()")
			if wrong := w.Says(laid); wrong != "fits" && (step.name != "spaced" || !strings.HasPrefix(wrong, "breaks")) {
				t.Errorf("%s, %s:\n%s", s, step.name, wrong)
			}
		}
	})
}

// TestMirrored: what stands at the left in English stands at the right in Arabic.
func TestMirrored(t *testing.T) {
	t.Parallel()
	g := look(t)
	w := open(t, "about:blank")
	w.size(390, 844)
	const sides = `['.icon', 'h1', '#ahead', 'dt', '#tell button', '#proof summary'].map(s => {
		const words = document.createRange(), e = document.querySelector('#view').parentElement.querySelector(s);
		words.selectNodeContents(e);
		const box = s === '.icon' || s === '#tell button' ? e.getBoundingClientRect() : words.getBoundingClientRect();
		return box.left < innerWidth - box.right ? 'left' : 'right';
	}).join()`
	for lang, side := range map[string]string{"en": "left", "ar": "right"} {
		w.Goes(g.at(scene{ownLook, "waiting", lang}))
		if got, want := w.Says(sides), strings.TrimSuffix(strings.Repeat(side+",", 6), ","); got != want {
			t.Errorf("%s: %s, want %s", lang, got, want)
		}
	}
}
