package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// shopWith is a shop whose product page holds this.
func shopWith(t *testing.T, holds string) *url.URL {
	t.Helper()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Golden toy</title><link rel=icon href=data:,>`+holds)
	}))
	t.Cleanup(shop.Close)
	address, err := url.Parse(shop.URL)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestChosenBefore: what somebody chose on the product page and pressed before the draw
// is bought by itself when the turn comes, and goes along to the checkout.
func TestChosenBefore(t *testing.T) {
	t.Parallel()
	s := announce(t, time.Hour/2)
	s.cfg.Origin.URLs = []*url.URL{shopWith(t, `<form method="post" action="/toys/golden/buy?ref=a%2Bb" id="shop">
<select name="size"><option>41<option selected>42 ½ &amp; more</select><textarea name="note"></textarea><input name="extra" value="one"><input name="extra" value=""><button name="qty" value="1">Buy</button></form>`)}
	s.cfg.Sales[0].Checkout = "/checkout?reservation={reservation}&size={buy.size}&ref={buy.ref}&note={buy.note}"
	s.stock(5)
	s.start()
	w := open(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/toys/golden")
	w.inFront()
	w.Says("document.querySelector('textarea').value = 'für\\ndich 中'")
	w.Says("setTimeout(() => document.querySelector('button').click()), ''")
	w.Shows(page, "lottery")
	s.open()
	w.Shows("['held', 'finishing'].includes("+page+")", "true")
	w.Shows("fetch('/.waitroom/toy/order', {headers: {Accept: 'application/json'}}).then(a => a.json()).then(o => o.checkout.replace(o.reservation, ''))",
		"/checkout?reservation=&size=42+%C2%BD+%26+more&ref=a%2Bb&note=f%C3%BCr%0D%0Adich+%E4%B8%AD")
}

// TestInFrame: inside another page, ours is one that leads to itself by itself.
func TestInFrame(t *testing.T) {
	t.Parallel()
	s := announce(t, time.Hour/2)
	s.cfg.Origin.URLs = []*url.URL{shopWith(t, `<iframe src="/.waitroom/toy/line"></iframe>`)}
	s.stock(5)
	s.start()
	w := open(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/toys/golden")
	const frame = "document.querySelector('iframe').contentDocument"
	w.Shows("("+frame+".querySelector('h1') || {}).textContent || ''", "Please open this page by itself")
	w.Shows("fetch('/.waitroom/toy/me').then(a => a.json()).then(m => m.state)", "none")
	w.Says("setTimeout(() => " + frame + ".querySelector('a.action').click()), ''")
	w.Shows("location.pathname", "/.waitroom/toy/line")
	w.Shows(page, "lottery")
}
