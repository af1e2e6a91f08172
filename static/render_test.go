package static_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

var update = flag.Bool("update", false, "write the golden pages anew")

// opening is 10:00 in Berlin.
var opening = time.Date(2026, 11, 27, 10, 0, 0, 0, berlin())

func berlin() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}

// full is a view in which everything has a value.
var full = static.View{
	Sale: "golden-toy", Title: "Golden toy, half price", Message: "The sale goes on until noon.",
	ProductPage: "/toys/golden", BuyMethod: "POST", BuyPath: "/toys/golden/buy",
	Asked:    static.Asked{Challenge: "AQ4AAAGf", Bits: 14, After: time.Second, Behind: true},
	Checkout: "/checkout?reservation=0197f0c2", Reservation: "0197f0c2-5f1e-7a3b-9d20-6a0c3f6b1e55",
	Number: 184213, HasNumber: true, Place: 3120, HasPlace: true, Ahead: 1204, Entered: 1032771, Drawn: 1032700, StockLeft: 37, StockHeld: 63, Odds: "better_than_even",
	Low: 2 * time.Minute, High: 4 * time.Minute,
	Doors: 26 * time.Hour, Opens: 12*time.Minute + 5*time.Second, PayIn: 9*time.Minute + 41*time.Second,
	Retry: 20 * time.Second, Refresh: 10 * time.Second,
	DoorsAt: static.Moment{At: opening.Add(-30 * time.Minute), Today: true}, OpensAt: static.Moment{At: opening, Today: true}, Host: "shop.example.com",
}

func render(t *testing.T, p static.Page, v static.View) string {
	t.Helper()
	page, err := static.Render(p, v)
	if err != nil {
		t.Fatalf("Render(%q): %v", p, err)
	}
	return string(page)
}

// What is the same on every page.
var (
	inline = regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`)
	live   = regexp.MustCompile(`data-live='[^']*'`)
	stamp  = regexp.MustCompile(` data-opens="[^"]*"`)
	ready  = regexp.MustCompile(`(?s)<template id="view-.*<template id="live"`)
)

func TestRenderGolden(t *testing.T) {
	t.Parallel()
	for _, p := range static.Known() {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			got := inline.ReplaceAllString(render(t, p, full), "<$1>…</$1>")
			got = live.ReplaceAllString(got, `data-live='…'`)
			got = ready.ReplaceAllString(got, `<template>…</template><template id="live"`)
			name := filepath.Join("testdata", string(p)+".html")
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", name, got)
			}
		})
	}
}

func TestRenderUnknownPage(t *testing.T) {
	t.Parallel()
	if page, err := static.Render("nowhere", full); err == nil || page != nil {
		t.Errorf("Render of an unknown page: got %d bytes and %v, want none and an error", len(page), err)
	}
}

// A page about nothing has no hole, no template fault and no half sentence.
func TestRenderEmptyView(t *testing.T) {
	t.Parallel()
	for _, p := range static.Known() {
		page := render(t, p, static.View{})
		text := inline.ReplaceAllString(page, "")
		text = live.ReplaceAllString(text, "")
		text = ready.ReplaceAllString(text, "")
		for _, fault := range []string{"{", "}", "ZgotmplZ", "<no value>", "<h1></h1>", `<p class="lead"></p>`, "<title></title>", "http-equiv=\"refresh\""} {
			if strings.Contains(text, fault) {
				t.Errorf("%s: contains %q:\n%s", p, fault, text)
			}
		}
	}
}

func TestRenderEscapes(t *testing.T) {
	t.Parallel()
	const hostile = `</script></title><img src=x onerror=alert(1)>"' onclick='x`
	v := full
	v.Sale, v.Title, v.Message, v.Reservation = hostile, hostile, hostile, hostile
	v.ProductPage, v.BuyMethod, v.BuyPath, v.Checkout = "javascript:alert(1)", hostile, hostile, "javascript:alert(1)"
	for _, p := range static.Known() {
		page := render(t, p, v)
		for _, fault := range []string{"<img", `"' onclick`, `"javascript:`} {
			if strings.Contains(page, fault) {
				t.Errorf("%s: hostile text came through as %q", p, fault)
			}
		}
		if begun, ended := strings.Count(page, "<script>"), strings.Count(page, "</script>"); begun != ended {
			t.Errorf("%s: %d script ends for %d scripts", p, ended, begun)
		}
	}
}

func TestRenderSelfContained(t *testing.T) {
	t.Parallel()
	outside := regexp.MustCompile(`(?i)(?:src|srcset|action|href|url)\s*[=(]\s*["']?(?:https?:|//)|@import|<iframe|<object|<link rel="(?:stylesheet|preload)`)
	handler := regexp.MustCompile(`(?i)<[^>]*\s(?:on[a-z]+|style)\s*=`)
	// To go elsewhere is the reader's choice, and tells nobody from where.
	const docs = `<a href="https://github.com/waitroom/waitroom/blob/main/docs/draw.md" rel="noreferrer">`
	looked := map[string]bool{} // most of a page is on all of them
	for _, p := range static.Known() {
		page := strings.ReplaceAll(render(t, p, full), docs, "<a>")
		markup := inline.ReplaceAllString(page, "")
		common := ready.FindString(markup)
		for i, part := range append([]string{common, strings.Replace(markup, common, "", 1)}, inline.FindAllString(page, -1)...) {
			if looked[part] {
				continue
			}
			looked[part] = true
			if found := outside.FindString(part); found != "" {
				t.Errorf("%s: reaches outside: %q", p, found)
			}
			if found := handler.FindString(part); i < 2 && found != "" {
				t.Errorf("%s: inline handler or style the policy forbids: %q", p, found)
			}
		}
	}
}

func TestRenderMarkup(t *testing.T) {
	t.Parallel()
	once := []string{
		"<!doctype html>", `<html lang="en" dir="ltr">`, "<main>", "<h1>", `<meta name="robots" content="noindex">`,
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, `<meta name="referrer" content="same-origin">`, `role="status"`,
	}
	titles := make(map[string]static.Page)
	for _, p := range static.Known() {
		page := ready.ReplaceAllString(render(t, p, full), "")
		for _, part := range once {
			if got := strings.Count(page, part); got != 1 {
				t.Errorf("%s: %q is there %d times, want once", p, part, got)
			}
		}
		if got, want := strings.Contains(page, `role="alert"`), p == static.Turn; got != want {
			t.Errorf("%s: assertive region: got %t, want %t", p, got, want)
		}
		lead := regexp.MustCompile(`<h1>.*</h1>`).FindString(page)
		if p == static.Finishing { // may say what Held says
			p = static.Held
		}
		if other, taken := titles[lead]; taken && other != p {
			t.Errorf("%s and %s have the same heading %s", p, other, lead)
		}
		titles[lead] = p
	}
}

// Every page that the shared status can turn into another holds all of those,
// as the same bytes, and no other page holds any.
func TestRenderHasCommonViews(t *testing.T) {
	t.Parallel()
	common := []static.Page{static.AllHeld, static.Behind, static.Chance, static.Ended, static.Hopeless, static.Late, static.Lottery, static.Near, static.Overdue, static.Paused, static.SoldOut, static.Waiting}
	first := ready.FindString(render(t, common[0], full))
	for _, p := range common {
		if want := `<template id="view-` + string(p) + `" data-tone="`; strings.Count(first, want) != 1 {
			t.Errorf("got no %s in\n%s", want, first)
		}
		if got := ready.FindString(render(t, p, static.View{Sale: "other", Title: "Another"})); got != first {
			t.Errorf("%s of another sale has other views:\n%s", p, got)
		}
	}
	if got := strings.Count(first, "<template id=\"view-"); got != len(common) {
		t.Errorf("%d views are ready, want %d", got, len(common))
	}
	holes := regexp.MustCompile(`\{\w+\}`)
	for _, hole := range holes.FindAllString(first, -1) {
		if !slices.Contains([]string{"{sale}", "{opens}"}, hole) {
			t.Errorf("the script does not fill %s", hole)
		}
	}
	for _, p := range static.Known() {
		if got, want := ready.MatchString(render(t, p, full)), slices.Contains(common, p); got != want {
			t.Errorf("%s has common views: %t, want %t", p, got, want)
		}
	}
}

// Where a shopper stands, and why, what there is for those ahead, and the chance:
// in words, and each only as far as it is known.
func TestRenderTellsTheChance(t *testing.T) {
	t.Parallel()
	drawn := static.View{Sale: "toy", Number: 7, HasNumber: true, Drawn: 1000, Place: 900, HasPlace: true, Ahead: 300, StockHeld: 63, Odds: "small"}
	late, put, unknown, brief := drawn, drawn, drawn, drawn
	late.Number, put.Behind, unknown.Odds, unknown.StockHeld, brief.Brief = 1000, true, "", 0, true
	for _, test := range []struct {
		page static.Page
		view static.View
		want []string
	}{
		{static.Waiting, drawn, []string{"It was drawn by lot", `<dd id="odds">small</dd>`}},
		{static.Waiting, late, []string{"follow behind it, in order of arrival"}},
		{static.Waiting, put, []string{"This entry stands behind the draw", `<progress id="meter" hidden `}},
		{static.Waiting, unknown, []string{`<div hidden><dt>Your chance`}},
		{static.Hopeless, drawn, []string{`<dd id="ahead">300</dd>`, `<dd id="held">63</dd>`, "Very likely gone before your turn", `data-again="/.waitroom/toy/line?told"`}},
		{static.Chance, drawn, []string{"There is a chance again", `<dd id="odds">small</dd>`, `data-again="/.waitroom/toy/line?told"`}},
		{static.AllHeld, drawn, []string{`<dd id="held">63</dd>`, `<dd id="odds">small</dd>`}},
		{static.Turn, brief, []string{"If you do not press within a minute, the next person is let in."}},
		{static.AllHeld, unknown, []string{`<div hidden><dt>Set aside, not paid for yet`}},
	} {
		text := live.ReplaceAllString(inline.ReplaceAllString(ready.ReplaceAllString(render(t, test.page, test.view), ""), ""), "")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", test.page, want, text)
			}
		}
	}
	for _, word := range []string{"good", "better_than_even", "uncertain", "less_than_even", "small"} {
		v := drawn
		v.Odds = word
		if strings.Contains(render(t, static.Waiting, v), `<dd id="odds"></dd>`) {
			t.Errorf("there are no words for %s", word)
		}
	}
}

// A room has no stock, no draw and no button: its page says so, and holds only
// what a room can turn into.
func TestRenderRoom(t *testing.T) {
	t.Parallel()
	v := static.View{Sale: "shop", Room: true, Title: "The shop", HasPlace: true, Place: 3, Ahead: 2}
	page := render(t, static.Waiting, v)
	text := live.ReplaceAllString(inline.ReplaceAllString(page, ""), "")
	for _, fault := range []string{"<form", "buy", "draw", "sale runs", "chance", `id="proof"`, `id="odds"`, `id="because"`, "{"} {
		if strings.Contains(strings.ReplaceAll(text, "{sale}", ""), fault) {
			t.Errorf("the page of a room contains %q:\n%s", fault, text)
		}
	}
	for _, want := range []string{" data-room", "opens here by itself", "The line takes a short break"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of a room lacks %q:\n%s", want, text)
		}
	}
	views := regexp.MustCompile(`<template id="view-(\w+)"`).FindAllStringSubmatch(page, -1)
	if len(views) != 3 || views[0][1] != "near" || views[1][1] != "paused" || views[2][1] != "waiting" {
		t.Errorf("got the views %v, want near, paused and waiting", views)
	}
	if other := render(t, static.Paused, static.View{Sale: "other", Room: true}); ready.FindString(other) != ready.FindString(page) {
		t.Error("another room has other views")
	}
}

// While a draw waits for its public value, each is told what is true of them, by
// the page as by its views, and nobody counts down to what is past.
func TestRenderOverdue(t *testing.T) {
	t.Parallel()
	v := static.View{
		Sale: "toy", OpensAt: full.OpensAt, Number: 7, HasNumber: true, Entered: 1020, Drawn: 1000,
		Mix: "drand round 7", Overdue: true, Opens: time.Second,
	}
	late := v
	late.Number, late.Place, late.HasPlace = 1002, 1002, true
	put := v // into no draw, which has 20 behind it
	put.Number, put.Behind, put.Place, put.HasPlace = 2, true, 1002, true
	early := v
	early.Number, early.Behind, early.Overdue, early.Opens = 2, true, false, time.Minute
	for _, test := range []struct {
		page           static.Page
		view           static.View
		says, saysNone []string
	}{
		{
			static.Overdue, v,
			[]string{`<strong id="drawn">1,000</strong>`, "people in the draw", `<dd id="awaits">drand round 7</dd>`, "still has the same chance", "As soon as the value is there"},
			[]string{"10:00", "data-seconds", "1,020"},
		},
		{
			static.Late, late,
			[]string{`<strong id="ahead">1,002</strong>`, "people ahead of you", `<dd id="awaits">drand round 7</dd>`, "Everyone in the draw goes before you", "You entered after the draw was closed"},
			[]string{"same chance", "You are in the draw", "10:00", "data-seconds", "<progress"},
		},
		{
			static.Late, put,
			[]string{`<strong id="ahead">1,002</strong>`, " data-behind ", "Everyone in the draw goes before you", "This entry stands behind the draw"},
			[]string{"same chance", "You are in the draw", "You entered after", "10:00", "data-seconds", "<progress"},
		},
		{
			static.Behind, early,
			[]string{`<strong id="draw" role="timer" data-seconds="60">`, " data-behind", `<dd id="entered">1,000</dd>`, "everyone in the draw goes first"},
			[]string{"same chance", "You are in the draw", "You entered after", "cheat", "suspicious"},
		},
		{
			static.Invited, v,
			[]string{`<dd id="awaits">drand round 7</dd>`},
			[]string{"data-seconds", "until the draw"},
		},
	} {
		text := inline.ReplaceAllString(ready.ReplaceAllString(render(t, test.page, test.view), ""), "")
		text = strings.NewReplacer(live.FindString(text), "", stamp.FindString(text), "", ` data-opening="10:00 (Berlin, UTC&#43;1)"`, "").Replace(text)
		for _, want := range test.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", test.page, want, text)
			}
		}
		for _, fault := range test.saysNone {
			if strings.Contains(text, fault) {
				t.Errorf("%s contains %q:\n%s", test.page, fault, text)
			}
		}
	}
	v.Overdue = false
	invited := render(t, static.Invited, v)
	if !strings.Contains(invited, "until the opening") || !strings.Contains(invited, `<div hidden><dt>Everyone waits for</dt><dd id="awaits"></dd></div>`) {
		t.Errorf("before the opening, who is invited is not told of it alone:\n%s", invited)
	}
}

// The bar tells how far the line has come since the shopper joined it, and where
// that is not known here, it is left to the script.
func TestRenderMeter(t *testing.T) {
	t.Parallel()
	drawn := static.View{Sale: "toy", Number: 7, HasNumber: true, Drawn: 1000, Place: 900, HasPlace: true, Ahead: 300}
	late, room := drawn, drawn
	late.Number, late.Place, late.Ahead = 5000, 5000, 12
	room.Room, room.Drawn, room.Number, room.Place, room.Ahead = true, 0, 5000, 5000, 12
	for name, test := range map[string]struct {
		view static.View
		want string
	}{
		"drawn":           {drawn, `<progress id="meter" value="600" max="900" `},
		"behind the draw": {late, `<progress id="meter" hidden `},
		"in a room":       {room, `<progress id="meter" hidden `},
		"nowhere yet":     {static.View{Sale: "toy"}, `<div class="figure" hidden>`},
	} {
		if page := ready.ReplaceAllString(render(t, static.Waiting, test.view), ""); !strings.Contains(page, test.want) {
			t.Errorf("%s: got no %s in\n%s", name, test.want, page)
		}
	}
}

func TestRenderSize(t *testing.T) {
	t.Parallel()
	const bound = 14 << 10 // what arrives in the first round trip
	for _, p := range static.Known() {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(render(t, p, full))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if packed.Len() > bound {
			t.Errorf("%s: %d bytes compressed, want at most %d", p, packed.Len(), bound)
		}
		t.Logf("%s: %d bytes compressed", p, packed.Len())
	}
}

// A page about no sale has nothing to ask.
func TestRenderAsksOnlyOfASale(t *testing.T) {
	t.Parallel()
	for _, p := range static.Known() {
		if page := render(t, p, static.View{}); !strings.Contains(page, ` data-asks=""`) {
			t.Errorf("%s of no sale asks", p)
		}
	}
	if page := render(t, static.SoldOut, full); !strings.Contains(page, ` data-asks="status"`) {
		t.Error("sold out does not ask whether it still is")
	}
}

// Where a page renews itself decides whether a form is posted twice, and
// whether a deep link survives.
func TestRenderRenews(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		view static.View
		want string
	}{
		{"at the line after a form", static.View{Sale: "toy", BuyPath: "/buy", Refresh: 1500 * time.Millisecond}, `content="2; url=/.waitroom/toy/line"`},
		{"in place in a room", static.View{Sale: "toy", Room: true, Refresh: 10 * time.Second}, `content="10"`},
		{"at the line without a form", static.View{Sale: "toy", Refresh: 10 * time.Second}, `content="10; url=/.waitroom/toy/line"`},
		{"in place without a sale", static.View{BuyPath: "/buy", Refresh: 10 * time.Second}, `content="10"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page := render(t, static.Waiting, tt.view)
			if want := `<noscript><meta http-equiv="refresh" ` + tt.want + `></noscript>`; !strings.Contains(page, want) {
				t.Errorf("got no %s in\n%s", want, page)
			}
		})
	}
}
