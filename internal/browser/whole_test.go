package browser_test

import (
	"testing"
	"time"
)

const line = "/.waitroom/toy/line"

// pressing presses the button once a page: what runs no script renews itself every few
// seconds, and a press in that instant goes nowhere.
const pressing = `(document.body.dataset.page === 'turn' && !window.pressed && (window.pressed = true) &&
	document.querySelector('#buy button').click(), document.body.dataset.page)`

// TestWholeSales: one sale through a real edge, from the draw to the checkout, for people
// who come by different windows: a narrow phone read from the right, two tabs of one
// browser, a desk that loses its network and goes back and forth, and a browser that
// runs no script. Each gets one, and nobody two.
func TestWholeSales(t *testing.T) {
	t.Parallel()
	s, address := holdInShop(t, time.Hour/2, 10, 3)
	enter := func(w *window, width, height int64) *window {
		w.size(width, height)
		w.Goes(address + line)
		w.Shows(page, "lottery")
		return w
	}
	phone := enter(open(t, "about:blank"), 320, 568)
	phone.Says("document.querySelector('.languages a[lang=ar]').click()")
	phone.Shows("document.documentElement.dir", "rtl")

	tab := enter(&window{chrome.Own(t, "about:blank"), t}, 768, 1024)
	other := enter(&window{chrome.Own(t, "about:blank"), t}, 768, 1024)
	if a, b := tab.standing(), other.standing(); a != b {
		t.Errorf("two tabs stand at %+v and %+v, want one place", a, b)
	}

	desk := enter(&window{chrome.Open(t, "about:blank", "ERR_INTERNET_DISCONNECTED"), t}, 1280, 800)
	number := desk.standing().Number
	desk.away(true)
	desk.hide(true)
	bare := open(t, "about:blank")
	bare.WithoutScript()
	enter(bare, 390, 844)
	bare.Shows("document.querySelector('noscript meta[http-equiv=refresh]') !== null", "true")

	desk.away(false)
	desk.hide(false)
	desk.Goes(address + "/toys/golden")
	desk.Says("void setTimeout(() => history.back())")
	desk.Shows(page, "lottery")
	if is := desk.standing().Number; is != number {
		t.Errorf("after a while without network the number is %d, it was %d", is, number)
	}
	s.open()
	for _, w := range []*window{phone, tab, desk} {
		w.Shows(page, "turn")
		w.Says("document.querySelector('#buy button').click()")
		w.Shows(page, "held")
		if wrong := w.Says(laid); wrong != "fits" {
			t.Error(wrong)
		}
	}
	other.Says("document.querySelector('#buy button')?.click()")    // where it still has the button, that leads to the same one
	other.Shows("['held', 'finishing'].includes("+page+")", "true") // which it may have found out by itself: nobody writes orders here
	bare.Shows(page, "turn")
	bare.Shows(pressing, "held")
	until(t, "four sold", func() bool { return s.says(t, "stock_left") == "6" })
	bare.Says("document.querySelector('.checkout').click()")
	bare.Shows(heading, "Checkout")
	desk.Says("void setTimeout(() => history.back())") // to the page of its turn, which asks where its shopper stands
	desk.Shows(heading, "You got one")
	if left := s.says(t, "stock_left"); left != "6" {
		t.Errorf("after going back %s are left, want 6", left)
	}
}
