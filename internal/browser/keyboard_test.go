package browser_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// toyShop is a shop behind an edge: a product to buy, and a place to pay.
func toyShop(t *testing.T) *url.URL {
	t.Helper()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/toys/golden":
			_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Golden toy</title><link rel=icon href=data:,><h1>Golden toy</h1>
<form method="post" action="/toys/golden/buy"><button>Buy</button></form><p><a href="/.waitroom/toy/line">The line</a></p>`)
		case "/checkout":
			_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Checkout</title><link rel=icon href=data:,><h1>Checkout</h1><a href="/toys/golden">Back</a>`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(shop.Close)
	address, err := url.Parse(shop.URL)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// holdInShop is hold with a shop behind, whose line moves every second; the address is
// one that browsers trust.
func holdInShop(t *testing.T, in time.Duration, units, crowd int) (s *sale, address string) {
	t.Helper()
	s = announce(t, in)
	s.cfg.Origin.URLs = []*url.URL{toyShop(t)}
	s.cfg.Sales[0].Admit = configs.Rate{Count: 1, Per: time.Second}
	s.stock(units)
	line := queueing.NewLine(s.rdb, &s.cfg.Sales[0])
	for range crowd {
		if _, err := line.Enter(context.Background(), queueing.Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	s.start()
	return s, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// focused is what has the keyboard, and whether that can be seen.
const focused = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
	if (e === document.body) return 'nothing';
	const ring = style.outlineStyle === 'auto' || style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, seen = box.top < innerHeight && box.bottom > 0;
	return e.textContent.trim() + (ring ? '' : ' (without a ring)') + (seen ? '' : ' (out of sight)');
})()`

// tab goes on by key, and gives what that leads to.
func (w *window) tab() string {
	w.t.Helper()
	w.Do(chromedp.KeyEvent(kb.Tab))
	return w.Says(focused)
}

// tabs goes through the whole page by key, from its top, and gives all that it leads to.
func (w *window) tabs() (all []string) {
	w.t.Helper()
	w.Says("document.activeElement.blur(), getSelection().collapse(document.body.firstChild, 0)")
	for range 60 {
		now := w.tab()
		if now == "nothing" || len(all) > 0 && now == all[0] {
			return all
		}
		all = append(all, now)
	}
	w.t.Fatalf("the keyboard is caught: %q", all)
	return nil
}

// tabTo goes on by key until something has the keyboard.
func (w *window) tabTo(what string) {
	w.t.Helper()
	var all []string
	for range 40 {
		now := w.tab()
		if now == what {
			return
		}
		all = append(all, now)
	}
	w.t.Fatalf("the keyboard does not lead to %s, only to %q", what, all)
}

// TestKeyboard: by keys alone from the product to the checkout. On each page the keyboard
// leads to all there is, in the order in which it is read, visibly, and out again.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s, address := holdInShop(t, time.Hour/2, 5, 6)
	w := open(t, address+"/toys/golden")
	w.size(390, 640)
	w.inFront()
	w.tabTo("The line")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows(page, "lottery")
	folded := []string{"Tell me when it is my turn", "Language: English"}
	if got := w.tabs(); !slices.Equal(got, folded) {
		t.Errorf("in the draw the keyboard leads to %q, want %q", got, folded)
	}
	w.tabTo("Language: English")
	w.Do(chromedp.KeyEvent(" "))
	w.Shows("document.querySelector('.languages').open", "true")
	if got := w.tab(); got != "Deutsch" {
		t.Errorf("after the languages are unfolded, %q comes next", got)
	}
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows(heading, "Sie sind in der Auslosung")
	w.tabTo("Sprache: Deutsch")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.tabTo("English")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows(heading, "You are in the draw")
	w.tabTo("Tell me when it is my turn")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows("document.querySelectorAll('#tell input:checked').length > 0", "true")
	s.open()
	w.Shows(page+".replace('near', 'waiting').replace('turn', 'waiting')", "waiting")
	w.Shows(page, "turn")
	if got := w.tabs(); len(got) == 0 || got[0] != "Buy now" {
		t.Errorf("at one's turn the keyboard leads to %q, want the button first", got)
	}
	w.tabTo("Buy now")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows(page, "held")
	if got := w.tabs(); len(got) == 0 || got[0] != "Go to checkout" {
		t.Errorf("with one set aside the keyboard leads to %q, want the checkout first", got)
	}
	w.tabTo("Go to checkout")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows(heading, "Checkout")
	until(t, "one sold", func() bool { return s.says(t, "stock_left") == "4" })

}

// TestKeyboardUnfoldsTheProof: and to what is in the proof.
func TestKeyboardUnfoldsTheProof(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 300})
	w := open(t, e.line())
	w.inFront()
	w.Shows(page, "waiting")
	w.tabTo("Check my place")
	w.Do(chromedp.KeyEvent(kb.Enter))
	w.Shows(verdict, "The place fits.")
	if got := w.tab(); got != "How the draw works, and how to check it" {
		t.Errorf("within the proof the keyboard leads to %q", got)
	}
	if got := w.tab(); got != "Language: English" {
		t.Errorf("behind the proof the keyboard leads to %q", got)
	}
}
