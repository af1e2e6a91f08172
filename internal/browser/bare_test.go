package browser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// script lets pages run theirs, or none.
func (w *window) script(on bool) {
	w.t.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// offered is what a page says and offers, but for instants and lengths, which a script
// tells by the reader's clock, and as they go on.
const offered = `[...document.querySelectorAll('h1, .lead, #note, .figure, dt, dd, h2, li, .keep, .action, .sale')]
	.filter(e => e.checkVisibility() && !e.closest('#proof')).map(e => {
		e = e.cloneNode(true);
		for (const when of e.querySelectorAll('time, [data-seconds]')) when.textContent = 'T';
		return e.textContent.trim();
	}).join('\n')`

// TestWithoutScript: where nothing runs, a page says and offers the same.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	g := look(t)
	each(t, g.everyPage(t, "en"), func(t *testing.T, w *window, s scene) {
		t.Helper()
		if strings.HasPrefix(s.moment, "prove") || s.moment == "all-held" || s.moment == "waiting-small" {
			return // they have a test of their own, or change at once in the preview
		}
		w.size(320, 640)
		w.script(true)
		w.Goes(g.at(s))
		with := w.Says(offered)
		w.script(false)
		w.Goes(g.at(s))
		if without := w.Says(offered); without != with {
			t.Errorf("%s: without script it says\n%s\n\nand with it\n%s", s, without, with)
		}
		if wrong := w.Says(laid); wrong != "fits" {
			t.Errorf("%s: %s", s, wrong)
		}
	})
}

// TestNothingBesides: a page loads nothing but what it asks to be told how things
// stand, and where a proof is asked for, what works it out; it has no font of its own, and does without its pictures.
func TestNothingBesides(t *testing.T) {
	t.Parallel()
	g := look(t)
	scenes := g.everyPage(t, "en")
	each(t, scenes, func(t *testing.T, w *window, s scene) {
		t.Helper()
		w.size(320, 640)
		w.Goes(g.at(s))
		w.Says(moment)
		asked := w.Says("performance.getEntriesByType('resource').map(e => e.name.split('/').pop()).join()")
		for name := range strings.SplitSeq(asked, ",") {
			proves := s.moment == "prove" && strings.HasPrefix(name, "solve-")
			if name != "" && name != "status" && name != "order" && name != "me" && !proves {
				t.Errorf("%s: it loads %s", s, name)
			}
		}
		if fonts := w.Says("document.fonts.size"); fonts != "0" {
			t.Errorf("%s: it has %s fonts of its own", s, fonts)
		}
		if s.subject != shopLook {
			return
		}
		w.Says("document.querySelectorAll('img').forEach(image => { image.src = 'data:,' }) || new Promise(done => setTimeout(done, 50))")
		if said := w.Says("document.body.dataset.sale ? document.querySelector('.logo img')?.alt : 'Toy House'"); said != "Toy House" {
			t.Errorf("%s: instead of the logo it says %q", s, said)
		}
		if wrong := w.Says(laid); wrong != "fits" {
			t.Errorf("%s, without pictures:\n%s", s, wrong)
		}
	})
}
