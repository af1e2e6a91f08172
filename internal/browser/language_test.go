package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/waitroom/waitroom/static"
)

// counts are numbers in which every plural form and every way of grouping comes up.
var counts = []uint64{0, 1, 2, 5, 11, 21, 22, 99, 100, 101, 102, 111, 999, 1000, 1234, 9999, 10_000, 12_345, 123_456, 1_000_000, 1_032_771, 2_000_000}

// spans are waits in seconds, at the soonest and at the latest.
var spans = [][2]int{{0, 40}, {0, 90}, {60, 125}, {120, 240}, {180, 180}, {300, 1260}, {4000, 9000}, {7200, 7200}, {100_000, 200_000}, {0, 1_900_000}}

// TestWordsInEveryLanguage: what the script writes while a page is open is letter by
// letter what the server wrote, and both are what Unicode says of the language.
func TestWordsInEveryLanguage(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../static/web/script/words.js")
	if err != nil {
		t.Fatal(err)
	}
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(inLanguage(t, static.BadRequest, static.View{Lang: r.URL.Path[1:]}))
	}))
	t.Cleanup(pages.Close)
	for _, lang := range static.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := open(t, pages.URL+"/"+lang)
			said := w.Says(fmt.Sprintf(`(function () {
%s
  return JSON.stringify({
    numbers: %[2]s.map(n => numbers.format(n)), labels: %[2]s.map(n => count('ahead', n)),
    spans: %[3]s.map(([low, high]) => span(low, high)),
    unicode: %[2]s.map(n => new Intl.NumberFormat(live.locale).format(n)),
  });
})()`, script, encode(t, counts), encode(t, spans)))
			var found struct{ Numbers, Labels, Spans, Unicode []string }
			if err := json.Unmarshal([]byte(said), &found); err != nil {
				t.Fatal(err)
			}
			for i, n := range counts {
				v := static.View{Lang: lang, Sale: "toy", HasPlace: true, Place: n, Ahead: n}
				texts := byID(t, inLanguage(t, static.Waiting, v))
				if got, want := found.Numbers[i], texts["ahead"]; got != want || found.Unicode[i] != want {
					t.Errorf("%d: the script writes %q, Unicode has %q, the server %q", n, got, found.Unicode[i], want)
				}
				if got, want := found.Labels[i], texts["ahead-label"]; got != want {
					t.Errorf("%d: the script says %q, the server %q", n, got, want)
				}
			}
			for i, s := range spans {
				v := static.View{Lang: lang, Sale: "toy", HasPlace: true, Low: time.Duration(s[0]) * time.Second, High: time.Duration(s[1]) * time.Second}
				if got, want := found.Spans[i], byID(t, inLanguage(t, static.Waiting, v))["wait"]; got != want || want == "" {
					t.Errorf("%v: the script says %q, the server %q", s, got, want)
				}
			}
		})
	}
}

// TestInstantsInEveryLanguage: days and times of day are written as Unicode has it, which
// the script goes by where it tells them anew.
func TestInstantsInEveryLanguage(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 1, 0, 5, 0, 0, time.UTC)
	var instants []time.Time
	for i := range 36 {
		instants = append(instants, begin.Add(time.Duration(i)*(10*24+7)*time.Hour))
	}
	w := open(t, opening(t, 1, time.Hour).line())
	for _, lang := range static.Languages() {
		live := liveOf(t, inLanguage(t, static.BadRequest, static.View{Lang: lang}))
		said := w.Says(fmt.Sprintf(`(function () {
  const write = (at, options) => new Intl.DateTimeFormat(%q, Object.assign({ timeZone: 'UTC' }, options)).format(new Date(at));
  return JSON.stringify(%s.map(at => [
    write(at, { weekday: 'long', day: 'numeric', month: 'long' }), write(at, { hour: %q, minute: '2-digit' })]));
})()`, live["locale"], encode(t, instants), live["hour"]))
		var want [][2]string
		if err := json.Unmarshal([]byte(said), &want); err != nil {
			t.Fatal(err)
		}
		for i, at := range instants {
			page := inLanguage(t, static.Lottery, static.View{Lang: lang, OpensAt: static.Moment{At: at}})
			got := byID(t, page)["time"]
			if !strings.Contains(got, want[i][0]) || !strings.Contains(got, want[i][1]) {
				t.Errorf("%s: the server writes %q, Unicode has %q", lang, got, want[i])
			}
		}
	}
}

func inLanguage(t *testing.T, p static.Page, v static.View) []byte {
	page, err := static.Render(p, v)
	if err != nil {
		t.Error(err)
	}
	return page
}

// byID are the texts of a page's elements by their ids, without those that lie ready; the
// first instant is that of time.
func byID(t *testing.T, page []byte) map[string]string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Data == "template" {
			return
		}
		id := ""
		for _, a := range n.Attr {
			if a.Key == "id" {
				id = a.Val
			}
		}
		if n.Data == "time" && texts["time"] == "" {
			id = "time"
		}
		if id != "" && n.FirstChild != nil {
			texts[id] = n.FirstChild.Data
		}
		for child := range n.ChildNodes() {
			walk(child)
		}
	}
	walk(root)
	return texts
}

// liveOf is what a page tells its script.
func liveOf(t *testing.T, page []byte) (live map[string]string) {
	t.Helper()
	_, rest, _ := strings.Cut(string(page), "data-live='")
	text, _, _ := strings.Cut(rest, "'")
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "&#39;", "'")), &live); err != nil {
		t.Fatal(err)
	}
	return live
}

// TestInstantsByTheReadersClock: whose clocks show something else than the sale's is told
// what they show, also on a page that comes later, and no other is told anything new.
func TestInstantsByTheReadersClock(t *testing.T) {
	t.Parallel()
	const (
		lead  = "document.querySelector('.lead time').textContent"
		title = "document.querySelector('.lead time').title"
	)
	e := opening(t, 7, time.Hour)
	e.page = static.Doors
	e.view.Doors = 30 * time.Minute
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2031, 11, 27, 10, 0, 0, 0, berlin)
	e.view.DoorsAt = static.Moment{At: at, Today: true}
	e.view.OpensAt = static.Moment{At: at.Add(time.Hour), Today: true}
	e.tell(fields{"state": "scheduled"})
	for _, test := range []struct{ zone, lang, want, title string }{
		{"Europe/Rome", "en", "10:00 (Berlin, UTC+1)", ""},
		{"America/New_York", "en", "Thursday 27 November, 04:00, your time", "10:00 (Berlin, UTC+1)"},
		{"Asia/Kolkata", "de", "14:30 Uhr Ihrer Zeit", "10:00 Uhr (Berlin, UTC+1)"},
		{"Pacific/Auckland", "en", "Thursday 27 November, 22:00, your time", "10:00 (Berlin, UTC+1)"},
	} {
		t.Run(test.zone, func(t *testing.T) {
			e.speak(test.lang)
			w := open(t, "about:blank")
			w.InZone(test.zone)
			w.Goes(e.line())
			w.Shows(lead, test.want)
			w.Shows(title, test.title)
		})
	}
	e.page = static.Lottery
	e.speak("en")
	e.tell(fields{"state": "doors"})
	w := open(t, "about:blank")
	w.InZone("America/New_York")
	w.Goes(e.line())
	w.Shows("document.querySelector('ol').textContent", "At Thursday 27 November, 05:00, your time, everyone")
	e.tell(fields{"state": "paused"})
	e.seen(w)
	w.Shows(page, "paused")
	e.tell(fields{"state": "doors"})
	e.seen(w)
	w.Shows(page, "lottery")
	w.Shows("document.querySelector('ol').textContent", "At Thursday 27 November, 05:00, your time, everyone")
}

// speak has the page be in a language when it is loaded anew.
func (e *edge) speak(lang string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.view.Lang = lang
}
