package configs_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/configs"
)

// drafted is a draft that lacks nothing.
func drafted() configs.Draft {
	return configs.Draft{
		"sale": "golden-toy", "title": "Golden toy, half price", "timezone": "Europe/Berlin",
		"doors": "2026-11-27 09:30", "opens": "2026-11-27 10:00", "closes": "2026-11-27 12:00",
		"product_page": "/toys/golden", "buy": "POST /toys/golden/buy", "checkout": "/checkout?reservation={reservation}",
		"stock": "100", "admit": "20/s",
	}
}

// TestDraft_Judge: what is said is judged as in a file, what is not said yet is no fault.
func TestDraft_Judge(t *testing.T) {
	t.Parallel()
	others := planned(t, now, "other|Europe/Berlin|doors: 2026-11-27 09:30; opens: 2026-11-27 10:00; closes: 2026-11-27 12:00|/toys/golden|20/s")
	for _, test := range []struct {
		name  string
		draft configs.Draft
		want  string // key and what is wrong, empty: nothing
	}{
		{"nothing", configs.Draft{}, ""},
		{"a title", configs.Draft{"title": "Toy"}, ""},
		{"a wrong name", configs.Draft{"sale": "Golden Toy"}, `sale: "Golden Toy" is not a sale's name`},
		{"a name that is taken", configs.Draft{"sale": "other"}, `sale: "other" is also the sale of `},
		{"an hour that is skipped", configs.Draft{"timezone": "Europe/Berlin", "opens": "2027-03-28 02:30"}, "opens: Europe/Berlin skips this hour"},
		{"doors that are too late", configs.Draft{"timezone": "UTC", "opens": "2027-03-28 10:00", "doors": "2027-03-28 11:00"}, "doors: after opens"},
		{"a repetition", configs.Draft{"timezone": "UTC", "repeat": "every Thurday 10:00"}, `repeat: "Thurday" is not a day`},
		{"the page of another at that time", drafted(), "product_page: /toys/golden is the page of sale \"other\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := test.draft.Judge("new.yaml", others, nil, now)
			if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0].Key+": "+faults[0].Wrong, test.want)) {
				t.Errorf("got %v, want %q", faults, test.want)
			}
		})
	}
}

// A draft of a repeating sale has a run as soon as it is known when.
func TestDraft_JudgeRepeating(t *testing.T) {
	t.Parallel()
	s, faults := configs.Draft{"timezone": "Europe/Berlin", "repeat": "every Thursday 18:00"}.Judge("new.yaml", nil, nil, now)
	if want := time.Date(2026, 11, 26, 17, 0, 0, 0, time.UTC); len(faults) > 0 || !s.Opens.Equal(want) {
		t.Errorf("got %v, %v; want %v", s.Opens, faults, want)
	}
}

// TestDraft_Text: whatever a draft says, its file says the same to us.
func TestDraft_Text(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		d := drafted()
		d["title"] = rapid.OneOf(
			rapid.SampledFrom([]string{"yes", "null", "012345", "1e3", "2026-11-27", "a: b", "# a", "a #b", "- a", "a'b\"c", "~", "{a", "[a]", "a,", "é ñ 金", "10:00", "*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "?", "a\\n"}),
			rapid.StringMatching(`[ -~äß金]{0,30}[!-~äß金][ -~äß金]{0,29}`),
		).Draw(r, "title")
		if rapid.Bool().Draw(r, "repeats") {
			maps.DeleteFunc(d, func(k, _ string) bool { return slices.Contains([]string{"doors", "opens", "closes"}, k) })
			d["repeat"] = "every Thursday 18:00"
		}
		file := filepath.Join(dir, "sale.yaml")
		if _, faults := d.Judge(file, nil, nil, now); len(faults) > 0 && strings.ContainsAny(d["title"], "<>") {
			return // HTML is no title, as a file says too
		}
		if err := os.WriteFile(file, d.Text(), 0o600); err != nil {
			r.Fatal(err)
		}
		s, _, err := configs.LoadSaleFile(file, now)
		if err != nil {
			r.Fatalf("%v\n%s", err, d.Text())
		}
		judged, faults := d.Judge(file, nil, nil, now)
		if len(faults) > 0 || s.Title != d["title"] || !s.Same(judged) {
			r.Fatalf("got %+v, want %+v (%v)\n%s", s, judged, faults, d.Text())
		}
	})
}

// TestDraft_TextIsTheExample: remarks and defaults come from the example and the rules.
func TestDraft_TextIsTheExample(t *testing.T) {
	t.Parallel()
	text := string(drafted().Text())
	for _, want := range []string{
		"title: Golden toy, half price     # what customers read\n",
		"\n# hold: 10m                       # time to pay; then the unit goes to somebody else\n",
		"\ndoors: 2026-11-27 09:30           # from then on people can come and wait\n",
		"\n# price: 19.90 EUR                # of one unit;",
		"\ncheckout: /checkout?reservation={reservation} # where one pays; the shop needs the part in braces\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, word := range []string{" pass", "lottery", "draw", "winner", "cache", "edge", "account,"} {
		if strings.Contains(text, word) {
			t.Errorf("marketing's file says %q in\n%s", word, text)
		}
	}
	again := drafted()
	again["repeat"], again["doors"], again["closes"] = "every Thursday 18:00", "30m", "2h"
	delete(again, "opens")
	for _, want := range []string{"\ndoors: 30m                        # how long before it opens people can come and wait\n", "\ncloses: 2h                        # how long after it has opened nobody can buy any more\n"} {
		if text := string(again.Text()); !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestLoadSales: neither secrets nor the rest of the operator's file are needed, and what
// is in order is there beside the faults of what is not.
func TestLoadSales(t *testing.T) {
	t.Parallel()
	file := folder(t, "secret: ${NOBODY_HAS_THIS}\nsales: [\"sales/*.yaml\"]\n", map[string]string{
		"a.yaml": smallSale, "b.yaml": "sale: broken\n", "c.yaml": "sale: shop\ntitle: The shop\nroom: /\nadmit: 5/s\n"})
	sales, rooms, err := configs.LoadSales(file, now)
	if len(sales) != 1 || len(rooms) != 1 || err == nil || !strings.Contains(err.Error(), "b.yaml:1:1: title: missing") {
		t.Errorf("got %d sales, %d rooms, %v; want one of each and the faults of b.yaml", len(sales), len(rooms), err)
	}
	sales, _, err = configs.LoadSales(filepath.Join(filepath.Dir(file), "sales", "a.yaml"), now)
	if len(sales) != 1 || err != nil {
		t.Errorf("a sale's own file: got %d sales, %v; want one", len(sales), err)
	}
	if _, _, err = configs.LoadSales(folder(t, "secret: x\n", nil), now); err == nil || !strings.Contains(err.Error(), "names no sales") {
		t.Errorf("no sales: got %v", err)
	}
}
