package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/internal/chromium"
	"github.com/waitroom/waitroom/internal/shop"
)

// providerName is another site than the shop's.
const providerName = "pay.example"

// chrome is the browser of this test binary, started when the first test wants it.
var chrome struct {
	once    sync.Once
	browser *chromium.Browser
	err     error
}

// startChrome has both names lead to this machine, and takes the certificates of
// edges, each of which has a CA of its own.
func startChrome() {
	chrome.browser, chrome.err = chromium.Start(
		chromedp.Flag("host-resolver-rules", "MAP "+shopName+" 127.0.0.1, MAP "+providerName+" 127.0.0.1"),
		chromedp.Flag("ignore-certificate-errors", true),
	)
}

func closeChrome() {
	if chrome.browser != nil {
		chrome.browser.Close()
	}
}

// open gives one person a window at an address of the shop.
func (f *front) open(t *testing.T, target string) *chromium.Window {
	t.Helper()
	chrome.once.Do(startChrome)
	if chrome.err != nil {
		t.Fatal(chrome.err)
	}
	return chrome.browser.Open(t, f.url(target))
}

// says fails the test unless an expression, or what it promises, is a text.
func says(t *testing.T, w *chromium.Window, expression, want string) {
	t.Helper()
	if got := w.Says(expression); got != want {
		t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// goes moves in the history. A page that was kept as it stood is not loaded again,
// so there is nothing to wait for but what it shows.
func goes(w *chromium.Window, where string) { w.Says("void history." + where) }

const heading = "document.querySelector('h1').textContent"

// TestChromium: what people do in a browser.
func TestChromium(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	for name, test := range map[string]func(*testing.T){
		"login and back": f.walksAbout, "scripts": f.runsScripts, "files": f.movesFiles, "gallery": f.looksAtPictures, "app": f.installs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// walksAbout logs in, and goes back and forth.
func (f *front) walksAbout(t *testing.T) {
	w := f.open(t, "/account")
	w.Shows(heading, "Log in")
	w.Do(chromedp.SetValue("#user", "Zoë"), chromedp.Click("#go"))
	w.Shows(heading, "Account of Zoë")
	w.Do(chromedp.Click("#away"))
	w.Shows(heading, "Tagged")
	goes(w, "back()")
	w.Shows(heading, "Account of Zoë")
	goes(w, "forward()")
	w.Shows(heading, "Tagged")
	w.Do(chromedp.Reload())
	w.Shows(heading, "Tagged")
	if got := w.Says("document.cookie"); got != "" {
		t.Errorf("scripts can read %q", got)
	}
	w.Shows("performance.getEntriesByType('navigation')[0].nextHopProtocol", "h2")
}

// runsScripts is what a page's own scripts do.
func (f *front) runsScripts(t *testing.T) {
	w := f.open(t, "/tagged")
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		says(t, w, fmt.Sprintf(`fetch('/api/things/%s?x=%%2F', {method: %[1]q, body: JSON.stringify({a: 'é'}), headers: {'Content-Type': 'application/json'}})
			.then(r => r.json()).then(j => [j.method, j.id, j.body, j.type].join(' '))`, method),
			fmt.Sprintf(`%s %[1]s {"a":"é"} application/json`, method))
	}
	says(t, w, `fetch('/none').then(r => r.status + r.statusText)`, "204")
	says(t, w, `fetch('/packed').then(r => r.text()).then(t => t.length)`, fmt.Sprint(len(shop.PackedText)))
	says(t, w, `new Promise((done, fault) => {
		const all = [], source = new EventSource('/events?n=4&every=300ms');
		source.onmessage = e => { all.push(e.lastEventId); if (all.length == 4) { source.close(); done(all.join()); } };
		source.onerror = () => fault(new Error('broken after ' + all));
	})`, "0,1,2,3")
	says(t, w, `new Promise((done, fault) => {
		const socket = new WebSocket('wss://' + location.host + '/chat');
		socket.onopen = () => socket.send('hello über WebSocket');
		socket.onmessage = e => { socket.close(1000); done(e.data); };
		socket.onerror = () => fault(new Error('broken'));
	})`, "hello über WebSocket")
	says(t, w, `fetch('/lines?n=3&every=10ms').then(async r => { // as it comes, not at the end
		let all = ''; for await (const piece of r.body.pipeThrough(new TextDecoderStream())) all += piece; return all.split('\n').length; })`, "4")
}

// movesFiles sends one by a form, and fetches one.
func (f *front) movesFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toy für dich.bin")
	content, err := io.ReadAll(shop.File(700_000))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, _, err := shop.Sum(shop.File(700_000))
	if err != nil {
		t.Fatal(err)
	}
	w := f.open(t, "/app")
	w.Do(chromedp.SetUploadFiles("#file", []string{path}), chromedp.Click("#send"))
	w.Shows("document.body.innerText", fmt.Sprintf(`"bytes":700000,"sum":"%s"`, sum))
	goes(w, "back()")
	w.Shows(heading, "App")
	says(t, w, `fetch('/files/300000').then(r => r.arrayBuffer()).then(b => b.byteLength)`, "300000")
	says(t, w, `fetch('/files/300000', {headers: {Range: 'bytes=10-19'}}).then(async r => r.status + ' ' + (await r.arrayBuffer()).byteLength)`, "206 10")
}

// looksAtPictures loads a page with so many assets that a low bound on streams
// would break it.
func (f *front) looksAtPictures(t *testing.T) {
	w := f.open(t, "/gallery")
	w.Shows("[...document.images].filter(i => i.complete && i.naturalWidth == 8).length", fmt.Sprint(shop.Pictures))
	w.Shows("performance.getEntriesByType('resource').filter(e => e.nextHopProtocol == 'h2' && e.responseStatus == 200).length", fmt.Sprint(shop.Pictures))
}

// installs is what an app does that a browser may keep: its manifest and its
// service worker, through which everything then goes.
func (f *front) installs(t *testing.T) {
	w := f.open(t, "/app")
	w.Shows("fetch(document.querySelector('link[rel=manifest]').href).then(r => r.json()).then(j => j.display)", "standalone")
	w.Shows("navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(r => r.active.scriptURL)", "/worker.js")
	w.Do(chromedp.Reload())
	w.Shows("fetch('/offline').then(r => r.text())", "from the worker")
	w.Shows("fetch('/tagged').then(r => r.status)", "200")
}

// TestReturnFromThePaymentProvider: the shopper's browser is posted back to the
// shop from another site. The cookies of ours that do not come along there are
// kept, and the shopper still has the order.
func TestReturnFromThePaymentProvider(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	for _, policy := range []struct{ name, origin string }{
		{"no-referrer", "null"}, {"strict-origin-when-cross-origin", ""},
	} {
		t.Run(policy.name, func(t *testing.T) {
			t.Parallel()
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Referrer-Policy", policy.name)
				w.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprintf(w, `<!doctype html><title>Pay</title><link rel=icon href="data:,"><h1>Pay</h1>
<form method="post" action="%s"><input name="payment" value="pay_81+/="><button id="pay">Pay</button></form>`, f.url("/pay/return?x=%2F"))
			}))
			t.Cleanup(provider.Close)
			there := strings.Replace(provider.URL, "127.0.0.1", providerName, 1)
			origin := policy.origin
			if origin == "" {
				origin = there
			}

			w := f.open(t, "/account")
			w.Shows(heading, "Log in")
			w.Do(chromedp.SetValue("#user", "Ann"), chromedp.Click("#go"))
			w.Shows(heading, "Account of Ann")
			w.Says("fetch('" + own("ticket") + "', {method: 'POST'}).then(r => r.status)")
			w.Shows("fetch('"+own("me")+"').then(r => r.json()).then(j => j.state)", "called")
			says(t, w, "fetch('"+buyPath+"', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}).then(r => r.status)", "201")
			order := "fetch('" + own("order") + "').then(r => r.json()).then(j => j.status + j.reservation)"
			w.Shows(order, "held")
			mine := w.Says(order)
			says(t, w, "fetch('/pay/start', {method: 'POST', body: new URLSearchParams({order: 'order-7'})}).then(r => r.status)", "204")

			w.Do(chromedp.Navigate(there), chromedp.Click("#pay"))
			w.Shows("document.body.innerText", fmt.Sprintf(`{"order":"order-7","payment":"pay_81+/=","origin":%q,"lax":false}`, origin))

			w.Do(chromedp.Navigate(f.url("/account")))
			w.Shows(heading, "Account of Ann")
			if again := w.Says(order); again != mine {
				t.Errorf("after the return the order is %s, before it was %s", again, mine)
			}
		})
	}
	t.Cleanup(func() {
		for _, seen := range f.shop.Seen("/pay/return?x=%2F") {
			if cookies := strings.Join(seen.Header["Cookie"], "; "); strings.Contains(cookies, "__Host-wr") {
				t.Errorf("the shop sees our cookies: %s", cookies)
			}
		}
		if n := f.metric("waitroom_entries_total", ""); n != 2 {
			t.Errorf("%v tickets were given, want one for each who bought", n)
		}
	})
}

// TestReturnGivesNoTicket: a provider's post from a browser that has no cookie of
// anybody goes to the shop and is given none of ours.
func TestReturnGivesNoTicket(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	bothProtocols(t, func(t *testing.T, http2 bool) {
		v := visitor{f, f.client(http2)}
		r := v.ask(t, 200, "POST", "/pay/return", "payment=pay_81%2B", "Content-Type", "application/x-www-form-urlencoded", "Origin", "null")
		if want := `{"order":"","payment":"pay_81+","origin":"null","lax":false}`; strings.TrimSpace(r.body) != want {
			t.Errorf("the shop made %s of it, want %s", r.body, want)
		}
		if set := r.Header["Set-Cookie"]; len(set) > 0 {
			t.Errorf("the answer sets %q", set)
		}
	})
}
