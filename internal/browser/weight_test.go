package browser_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// most is what a page may have when it is packed, in bytes: what a server may send before
// it is told that anything arrived.
const most = 14 << 10

// section replaces what a test has written in docs/pages.md under a name, with -update,
// and gives what is there.
func section(t *testing.T, name, text string) string {
	t.Helper()
	doc, err := os.ReadFile(pagesDoc)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": make pages writes this -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(string(doc), begin)
	there, after, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("docs/pages.md has no place for the %s", name)
	}
	if *update {
		there = text
		if err := os.WriteFile(pagesDoc, []byte(before+begin+text+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return there
}

// packed is how many bytes come of it.
func packed(t *testing.T, page string) int {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write([]byte(page)) // a buffer takes all
	_ = z.Close()
	return out.Len()
}

// TestWeight: no page is heavier than it may be, in any language, and docs/pages.md says
// how heavy each is, to a fiftieth.
func TestWeight(t *testing.T) {
	g := look(t)
	scenes := map[string]string{}
	moments := g.moments(t, ownLook)
	for _, moment := range moments {
		scenes[moment] = ownLook
	}
	for _, moment := range g.moments(t, room) {
		if scenes[moment] == "" {
			scenes[moment], moments = room, append(moments, moment)
		}
	}
	text := "\n| page | plain | packed | packed, in a shop's look | the heaviest language |\n|---|---:|---:|---:|---|\n"
	weights := map[string]int{}
	for _, moment := range moments {
		heaviest, in, shop, plain := 0, "", "–", 0
		for _, lang := range allLanguages {
			page := g.get(t, strings.TrimPrefix(g.at(scene{scenes[moment], moment, lang}), g.address))
			n := packed(t, page)
			if n > most {
				t.Errorf("%s in %s: %d bytes packed, want %d at most", moment, lang, n, most)
			}
			if n > heaviest {
				heaviest, in = n, lang
			}
			if lang == "en" {
				plain, weights[moment] = len(page), n
			}
		}
		if scenes[moment] == ownLook {
			shop = fmt.Sprint(packed(t, g.get(t, strings.TrimPrefix(g.at(scene{shopLook, moment, "en"}), g.address))))
		}
		text += fmt.Sprintf("| %s | %d | %d | %s | %d, %s |\n", moment, plain, weights[moment], shop, heaviest, in)
	}
	there := section(t, "sizes", text+"\n")
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z-]+) \| \d+ \| (\d+) \|`).FindAllStringSubmatch(there, -1) {
		said, err := strconv.Atoi(row[2])
		if is, ok := weights[row[1]]; err != nil || !ok || max(is, said)-min(is, said) > is/50 {
			t.Errorf("docs/pages.md says that %s has %d bytes in English, it has %d; make pages corrects it", row[1], said, is)
		}
		delete(weights, row[1])
	}
	for moment := range weights {
		t.Errorf("docs/pages.md does not say what %s has; make pages does", moment)
	}
}

// TestAskedInTenMinutes: what a page asks while its shopper waits for ten minutes and looks
// at it, by a clock of its own.
func TestAskedInTenMinutes(t *testing.T) {
	t.Parallel()
	const now = 1_795_000_000_000
	doc := fields{
		"sale": "toy", "title": "Golden toy", "state": "open", "now": now, "doors": now - 7_200_000, "opens": now - 3_600_000, "closes": now + 3_600_000,
		"entered": 1_000_000, "drawn": 1_000_000, "commitment": seal, "seed": seed, "head": 0, "rate": 20.0, "stock_left": 100, "message": "",
	}
	view := static.View{Sale: "toy", Title: "Golden toy", Number: 4, HasNumber: true, Entered: 1_000_000, Drawn: 1_000_000, Refresh: time.Minute}
	text := "\n| for ten minutes, with a million in it | asks |\n|---|---:|\n"
	for _, test := range []struct {
		name   string
		page   static.Page
		change fields
		rate   float64 // of the head
		hidden bool
		least  int
		most   int
	}{
		{name: "in the draw", page: static.Lottery, change: fields{"state": "doors", "seed": nil, "drawn": nil, "opens": now + 3_600_000}, least: 8, most: 18},
		{name: "in line, called long after", page: static.Waiting, rate: 20, least: 8, most: 18},
		{name: "paused", page: static.Waiting, change: fields{"state": "paused"}, least: 8, most: 18},
		{name: "all are gone", page: static.SoldOut, change: fields{"state": "sold_out"}, least: 1, most: 5},
		{name: "in line, looking elsewhere", page: static.Waiting, hidden: true, least: 0, most: 1},
	} {
		w := open(t, world(t, test.page, view))
		if test.hidden {
			w.hide(true)
		}
		for i := range 60 {
			says := encode(t, encode(t, with(with(doc, test.change), fields{"now": now + 10_000*i, "head": int(test.rate) * 10 * i})))
			w.Says(fmt.Sprintf("world.answers.status = %s, world.pass(10000)", says))
		}
		asked := w.Says("Object.entries(world.asked).filter(([name]) => name !== 'status').map(([name]) => name).join()")
		n, err := strconv.Atoi(w.Says("(world.asked.status || []).length"))
		if err != nil || asked != "" || n < test.least || n > test.most {
			t.Errorf("%s: asked %d times, and for %q, want %d to %d for the status alone", test.name, n, asked, test.least, test.most)
		}
		text += fmt.Sprintf("| %s | %d |\n", test.name, n)
	}
	section(t, "questions", text+"\n")
}
