package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// odd is what no door says in a field, as JSON; empty: the field is missing.
var odd = []string{
	"", "null", "true", "false", `""`, `"12"`, `"banana"`, "[]", "[7]", "{}", `{"now":1}`,
	"0", "-1", "-1e300", "0.5", "1e-300", "9007199254740991", "9007199254740992", "1e300", "1e999",
}

// oddly are documents with each field odd in turn, and some that are none.
func oddly(t *testing.T, doc fields, needs ...string) []oddAnswer {
	t.Helper()
	var all []oddAnswer
	for _, field := range slices.Sorted(maps.Keys(doc)) {
		for _, value := range odd {
			changed := maps.Clone(doc)
			delete(changed, field)
			if value != "" {
				changed[field] = json.RawMessage(value)
			}
			all = append(all, oddAnswer{encode(t, changed), !slices.Contains(needs, field)})
		}
	}
	for _, none := range []string{"null", "5", "[]", "{}", `""`, `"open"`, "", "{", "<!doctype html>"} {
		all = append(all, oddAnswer{none, false})
	}
	return all
}

type oddAnswer struct {
	Answer string `json:"answer"`
	Sound  bool   `json:"sound"` // what the page cannot do without is there
}

func encode(t *testing.T, v any) string {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestOddAnswers: whatever a page is told, it never asks twice within a second,
// never prints nonsense and never breaks, and is right again with the next answer.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	const now = 1_795_000_000_000
	common := fields{
		"sale": "toy", "title": "Golden toy", "state": "open", "now": now, "doors": now - 7_200_000, "opens": now - 3_600_000,
		"closes": now + 3_600_000, "entered": 1020, "drawn": 1000, "commitment": seal, "seed": seed, "head": 100,
		"rate": 2.5, "stock_left": 100, "stock_held": 3, "hopeless_ahead": 5000, "odds_ahead": thresholds(10, 50, 200, 900), "message": "Hello", "run": "toy@1", "mix": mix, "mixed": "8c0e",
	}
	before := with(common, fields{"state": "doors", "seed": nil, "mixed": nil, "head": 0, "opens": now + 600_000})
	view := static.View{
		Sale: "toy", Title: "Golden toy", OpensAt: static.Moment{At: time.UnixMilli(now + 600_000).UTC(), Today: true}, Number: 4, HasNumber: true, Entered: 1020, Drawn: 1000,
		Mix: mix, Opens: time.Minute, PayIn: 10 * time.Minute, Refresh: time.Minute, BuyPath: "/buy",
	}
	room := static.View{Sale: "toy", Room: true, Title: "The shop", Number: 9000, HasNumber: true, Place: 9000, HasPlace: true, Ahead: 10, Refresh: time.Minute}
	invited := view
	invited.HasNumber = false
	for _, test := range []struct {
		name    string
		page    static.Page
		view    static.View
		asks    string // what is answered oddly
		right   fields
		answers fields // all others
	}{
		{name: "in line", page: static.Waiting, view: view, asks: "status", right: common},
		{name: "in the draw", page: static.Lottery, view: view, asks: "status", right: with(before, fields{"drawn": nil})},
		{name: "overdue", page: static.Overdue, view: view, asks: "status", right: before},
		{name: "hopeless", page: static.Hopeless, view: view, asks: "status", right: with(common, fields{"hopeless_ahead": 3})},
		{name: "paused", page: static.Paused, view: view, asks: "status", right: with(common, fields{"state": "paused"})},
		{name: "in a room", page: static.Waiting, view: room, asks: "status", right: fields{
			"sale": "toy", "title": "The shop", "state": "open", "now": now, "armed": nil, "active": 3, "entered": 9020,
			"head": 100, "rate": 2.5, "flow": 0.5, "message": "Hello",
		}},
		{name: "invited", page: static.Invited, view: invited, asks: "status", right: before},
		{
			name: "one's own", page: static.Waiting, view: view, asks: "me",
			right:   fields{"state": "waiting", "number": 4, "place": 145, "ahead": 45, "poll_after_ms": 1000},
			answers: fields{"status": with(common, fields{"state": "of another version"})},
		},
		{name: "order", page: static.Held, view: view, asks: "order", right: fields{"reservation": "r", "status": "held", "pay_before": 1_000_000_600_000, "checkout": "/c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			odds := oddly(t, test.right, "state", "head", "status")
			odds = slices.DeleteFunc(odds, func(o oddAnswer) bool { return leads(test.page, o.Answer) })
			w := open(t, world(t, test.page, test.view))
			w.Says("void (world.answers.me = `{\"state\":\"waiting\",\"place\":500,\"poll_after_ms\":2000}`)")
			for name, doc := range test.answers {
				w.Says(fmt.Sprintf("void (world.answers[%q] = %s)", name, encode(t, encode(t, doc))))
			}
			var wrong []string
			if err := json.Unmarshal([]byte(w.Says(fmt.Sprintf("world.tour(%q, %s, %s)", test.asks, encode(t, encode(t, test.right)), encode(t, odds)))), &wrong); err != nil {
				t.Fatal(err)
			}
			for _, fault := range wrong {
				t.Error(fault)
			}
			if len(odds) < 80 {
				t.Errorf("only %d odd answers were told", len(odds))
			}
		})
	}
}

// with is doc with some fields changed.
func with(doc, changes fields) fields {
	changed := maps.Clone(doc)
	maps.Copy(changed, changes)
	return changed
}

// leads reports whether an answer is sound, and leads to another page. That goes
// beyond a world.
func leads(page static.Page, answer string) bool {
	var doc struct{ State, Status, Head, Armed any }
	if json.Unmarshal([]byte(answer), &doc) != nil {
		return false
	}
	other := func(word any, known ...string) bool {
		text, ok := word.(string)
		return ok && text != "" && !slices.Contains(known, text)
	}
	switch page {
	case static.Held:
		return other(doc.Status, "held")
	case static.Invited:
		return other(doc.State, "doors")
	default:
		return doc.Head == nil && other(doc.State, "waiting") || doc.Head == float64(1<<53-1) || doc.Armed == false
	}
}

// world serves a page that is in a world of its own.
func world(t *testing.T, p static.Page, v static.View) string {
	t.Helper()
	script, err := os.ReadFile("testdata/odd.js")
	if err != nil {
		t.Fatal(err)
	}
	body, err := static.Render(p, v)
	if err != nil {
		t.Fatal(err)
	}
	body = bytes.Replace(body, []byte("<head>"), slices.Concat([]byte("<head><script>"), script, []byte("</script>")), 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
