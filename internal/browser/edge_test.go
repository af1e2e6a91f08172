package browser_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// fields are those of a JSON document.
type fields = map[string]any

// edge plays the door of one sale: a line's page as it is first given, a shared
// status and a `me` that the test changes, and a count of who was asked what.
type edge struct {
	*httptest.Server
	mu     sync.Mutex
	page   static.Page
	view   static.View
	status fields
	me     fields
	order  fields // nil: there is none
	asked  map[string]int
	loaded []time.Time   // when its page was
	bought []string      // the size of each thing that was bought
	answer static.Page   // to that
	held   chan struct{} // closed when the status may be told; nil: it may
	opens  time.Time     // the draw, on the clock of this machine
	offset time.Duration // of the server's clock
}

const (
	seed = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	seal = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
)

// opening is a sale with a thousand entries whose draw is in so long, and
// whose shopper has a number.
func opening(t *testing.T, number uint64, in time.Duration) *edge {
	return openingOn(t, 90*time.Minute, number, in)
}

// openingOn is opening by a server whose clock is ahead of this machine's.
func openingOn(t *testing.T, ahead time.Duration, number uint64, in time.Duration) *edge {
	e := &edge{
		page: static.Lottery, answer: static.Held, asked: map[string]int{}, offset: ahead,
		view: static.View{
			Sale: "toy", Title: "Golden toy", ProductPage: "/toys/golden", BuyPath: "/toys/golden/buy",
			Number: number, HasNumber: true, Entered: 1000, Opens: in, Refresh: time.Minute,
			OpensAt: static.Moment{At: time.Now().Add(in).In(time.UTC), Today: true},
		},
		me: fields{"state": "called", "poll_after_ms": 1000},
	}
	e.opens = time.Now().Add(in)
	opens := e.opens.Add(e.offset)
	e.status = fields{
		"sale": "toy", "title": "Golden toy", "state": "doors", "opens": opens.UnixMilli(),
		"doors": opens.Add(-time.Hour).UnixMilli(), "closes": opens.Add(time.Hour).UnixMilli(),
		"entered": 1000, "drawn": nil, "commitment": seal, "head": 0, "rate": 2.0, "stock_left": 100, "stock_held": 0,
		"hopeless_ahead": nil, "odds_ahead": nil, "message": "",
	}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *edge) now() time.Time { return time.Now().Add(e.offset) }

// ServeHTTP answers as an edge does.
func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked[r.URL.Path]++
	w.Header().Set("Date", e.now().UTC().Format(http.TimeFormat))
	switch r.URL.Path {
	case "/.waitroom/toy/line", "/shop/deep":
		e.loaded = append(e.loaded, time.Now())
		page, _ := static.Render(e.page, e.view)
		w.Header().Set("Content-Security-Policy", static.ContentSecurityPolicy(e.page, e.view))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	case "/.waitroom/toy/status":
		if held := e.held; held != nil {
			e.mu.Unlock()
			<-held
			e.mu.Lock()
		}
		doc := maps.Clone(e.status)
		doc["now"] = e.now().UnixMilli()
		w.Header().Set("Cache-Control", "public, max-age=1")
		_ = json.NewEncoder(w).Encode(doc)
	case "/.waitroom/toy/me":
		_ = json.NewEncoder(w).Encode(e.me)
	case "/.waitroom/toy/order":
		_ = json.NewEncoder(w).Encode(e.order)
	case "/toys/golden":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<title>The shop</title><link rel=icon href=data:,><h1>The shop</h1>")
	case "/toys/golden/buy":
		e.bought = append(e.bought, r.FormValue("size"))
		page, _ := static.Render(e.answer, e.view)
		w.Header().Set("Content-Security-Policy", static.ContentSecurityPolicy(e.answer, e.view))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	default:
		if script, ok := static.Asset(path.Base(r.URL.Path)); ok {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(script)
			return
		}
		http.NotFound(w, r)
	}
}

// untilOpen waits for the draw. A page that was told later counts longer, never
// shorter.
func (e *edge) untilOpen() { <-time.After(time.Until(e.opens)) }

// become has the page be another when it is loaded anew.
func (e *edge) become(page static.Page) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.page = page
}

// hold keeps the status back until release.
func (e *edge) hold() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held = make(chan struct{})
}

func (e *edge) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.held)
	e.held = nil
}

// line is where the page is.
func (e *edge) line() string { return e.URL + "/.waitroom/toy/line" }

// tell changes the shared status.
func (e *edge) tell(changes fields) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.Copy(e.status, changes)
}

// seen has the page ask until it was told what the status says by now: while a
// question is under way a page asks no other, and within a second its browser
// answers from what it keeps.
func (e *edge) seen(w *window) {
	w.t.Helper()
	before := e.questions("status")
	until(w.t, "a question for the status", func() bool {
		if e.questions("status") > before {
			return true
		}
		w.Looks()
		return false
	})
}

// draw holds the draw, and gives the place of the shopper.
func (e *edge) draw(changes fields) uint64 {
	secret, err := queueing.ParseSeed(seed)
	if err != nil {
		panic(err)
	}
	e.tell(fields{"state": "open", "seed": seed, "drawn": 1000})
	e.tell(changes)
	return queueing.NewDraw(secret, "toy", 1000, "").Place(e.view.Number)
}

// questions counts those for a part of the sale's prefix.
func (e *edge) questions(part string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked["/.waitroom/toy/"+part]
}

// sold gives the size of each thing that was bought.
func (e *edge) sold() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.bought)
}

// private counts the questions that only this shopper could ask, but for the
// page itself.
func (e *edge) private() int {
	return e.questions("me") + e.questions("line") - 1 + e.questions("order")
}
