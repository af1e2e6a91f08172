package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

// shopPage is a product page of a shop that trusts its own address only.
const shopPage = `<!doctype html><html lang="en"><title>Golden toy</title>
<p><b data-waitroom-left="toy">a few</b> toys, <b data-waitroom-left="socks">some</b> socks,
<b data-waitroom-left="toy">hardly any</b> toys</p>
<script async src="/.waitroom/toy/left.js"></script>
<script async src="/.waitroom/socks/left.js"></script>`

// left is what stands on the page, and state what the shop's style is told.
const (
	left  = "[...document.querySelectorAll('[data-waitroom-left]')].map(e => e.textContent).join()"
	state = "[...document.querySelectorAll('[data-waitroom-left]')].map(e => e.dataset.waitroomState).join()"
)

func serveShopPage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'self'")
	_, _ = w.Write([]byte(shopPage))
}

// TestLeft: on a shop's page out of the cache, the numbers of two sales come from
// a real edge, and one falls with a buy.
func TestLeft(t *testing.T) {
	t.Parallel()
	var pages atomic.Int32
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/toys/golden" {
			w.WriteHeader(http.StatusNoContent) // the icon
			return
		}
		pages.Add(1)
		w.Header().Set("Cache-Control", "public, max-age=600")
		serveShopPage(w)
	}))
	t.Cleanup(shop.Close)
	s := announce(t, -time.Minute)
	address, err := url.Parse(shop.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.cfg.Origin.URLs = []*url.URL{address}
	socks := s.cfg.Sales[0]
	socks.ID, socks.Key, socks.Product, socks.Buy.Path = "socks", "socks", "/socks", "/socks/buy"
	s.cfg.Sales = append(s.cfg.Sales, socks)
	toys := s.gate
	s.gate = gate.New(s.rdb, "socks", 1)
	s.stock(7)
	s.gate = toys
	s.stock(10)
	s.start()

	page := strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/toys/golden"
	w, other := open(t, page), open(t, page)
	w.Shows(left, "10,7,10")
	w.Shows(state, "open,open,open")
	other.Shows(left, "10,7,10")
	if n := pages.Load(); n != 1 {
		t.Errorf("the shop gave its page %d times, want once", n)
	}
	w.Says("fetch('/.waitroom/toy/ticket', { method: 'POST' })")
	w.Shows("fetch('/.waitroom/toy/me').then(a => a.text())", `"called"`)
	if code := w.Says("fetch('/toys/golden/buy', { method: 'POST' }).then(a => a.status)"); code != "201" {
		t.Fatalf("the buy is answered with %s, want 201", code)
	}
	w.Shows(left, "9,7,9")
	other.Shows(left, "9,7,9")
}

// counter plays the door of one sale for such a page.
type counter struct {
	*httptest.Server
	mu    sync.Mutex
	doc   string // the status
	fresh string // its Cache-Control
	asked int
	known int // how often it was there already
}

func count(t *testing.T, doc, fresh string) *counter {
	c := &counter{doc: doc, fresh: fresh}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		serveShopPage(w)
	case "/.waitroom/toy/left.js":
		script, _ := static.Left()
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(script)
	case "/.waitroom/toy/status":
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked++
		tag := fmt.Sprintf(`"%x"`, c.doc)
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", c.fresh)
		if r.Header.Get("If-None-Match") == tag {
			c.known++
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte(c.doc))
	default: // the other sale's script, and the icon
		w.WriteHeader(http.StatusNoContent)
	}
}

func (c *counter) tell(doc string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doc = doc
}

func (c *counter) counts() (asked, known int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.known
}

// looksLater has somebody look again when ten minutes have passed.
func (w *window) looksLater() {
	w.t.Helper()
	w.Says("(() => { const then = Date.now() + 600000; Date.now = () => then })()")
	w.Looks()
}

// moment passes once an answer that is there has been read.
const moment = "new Promise(done => setTimeout(done, 100))"

const fiveLeft = `{"state":"open","stock_left":5,"entered":10}`

// TestLeftIsNotKnown: as long as no number is known, and again once none has been
// known for a while, the shop's own words stand there.
func TestLeftIsNotKnown(t *testing.T) {
	t.Parallel()
	c := count(t, "null", "max-age=0")
	w := open(t, c.URL)
	for _, odd := range []string{
		`{"state":"open"}`, `{"state":"open","stock_left":null}`, `{"state":"open","stock_left":-1}`, `{"state":"open","stock_left":1.5}`,
		`{"state":"open","stock_left":"<b>"}`, `{"stock_left":5}`, `[]`, `5`, `{`, ``,
	} {
		c.tell(odd)
		before, _ := c.counts()
		w.looksLater()
		c.until(t, before+1)
		w.Says(moment)
		w.Shows(left, "a few,some,hardly any")
	}
	c.tell(fiveLeft)
	w.looksLater()
	w.Shows(left, "5,some,5")
	w.Shows(state, "open,,open")
	c.tell("null")
	for range 2 {
		w.looksLater()
		w.Says(moment)
		w.Shows(left, "5,some,5")
	}
	w.looksLater()
	w.Shows(left, "a few,some,hardly any")
	w.Shows(state, ",,")
	c.tell(fiveLeft)
	w.looksLater()
	w.Shows(left, "5,some,5")
}

// TestLeftAsksSeldom: every five seconds at most, whatever it is told, with the
// tag of what it has, and not at all while nobody looks.
func TestLeftAsksSeldom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*counter{
		"usual":       count(t, fiveLeft, "public, max-age=1"),
		"no lifetime": count(t, `{"state":"open","stock_left":5}`, ""),
		"odd numbers": count(t, `{"state":"open","stock_left":5,"entered":"many"}`, "max-age=-1"),
		"no document": count(t, "null", "max-age=0"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, c.URL)
			w.Shows("document.readyState", "complete")
			c.until(t, 1)
			<-time.After(4 * time.Second)
			if asked, _ := c.counts(); asked != 1 {
				t.Errorf("asked %d times within four seconds, want once", asked)
			}
			if name != "usual" {
				return
			}
			c.until(t, 2)
			if asked, known := c.counts(); known != asked-1 {
				t.Errorf("of %d questions %d said what is there, want all but the first", asked, known)
			}
			w.Says("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })")
			before, _ := c.counts()
			<-time.After(9 * time.Second)
			if asked, _ := c.counts(); asked != before {
				t.Errorf("hidden, it asked %d times", asked-before)
			}
			w.Says("delete document.hidden")
			w.Looks()
			c.until(t, before+1)
			begun := time.Now()
			for range 200 {
				w.Looks()
			}
			w.Says(moment)
			most := 1 + int(time.Since(begun)/(5*time.Second))
			if asked, _ := c.counts(); asked < before+1 || asked > before+most {
				t.Errorf("looked at again and again for %v, it asked %d times, want %d at most", time.Since(begun), asked-before, most)
			}
		})
	}
}

// TestLeftAsksSeldomInVain: where no answer comes, who looks again does not have it asked
// sooner than after ten, twenty and so on seconds.
func TestLeftAsksSeldomInVain(t *testing.T) {
	t.Parallel()
	c := count(t, "null", "")
	w := open(t, c.URL)
	c.until(t, 1)
	w.Says(moment)
	for _, step := range []struct{ after, asked int }{{9, 1}, {2, 2}, {19, 2}, {2, 3}, {39, 3}, {2, 4}} {
		w.Says(fmt.Sprintf("(() => { const then = Date.now() + %d000; Date.now = () => then })()", step.after))
		w.Looks()
		w.Says(moment)
		if asked, _ := c.counts(); asked != step.asked {
			t.Fatalf("%d seconds later it asked %d times, want %d", step.after, asked, step.asked)
		}
	}
}

// until waits until it was asked so often.
func (c *counter) until(t *testing.T, times int) {
	t.Helper()
	until(t, fmt.Sprintf("question %d", times), func() bool {
		asked, _ := c.counts()
		return asked >= times
	})
}
