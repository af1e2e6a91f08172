package static

import (
	"strings"
	"testing"
)

func TestBrandTexts(t *testing.T) {
	t.Parallel()
	b, err := NewBrand(Look{
		Texts: map[string]map[string]string{
			"":   {"waiting.heading": "We <3 you & wait", "doors.step.4": "Bring tea, {sale} starts soon."},
			"de": {"waiting.lead": "Gleich.", "title": "Goldenes Spielzeug", "live.ahead.one": "Mensch vor dir"},
		},
		Logo: []byte(golden), LogoText: `Toy "House"`,
		Links: []Link{{Text: "Help & more", To: "/help?a=1&b=2", Texts: map[string]string{"de": "Hilfe"}}, {Text: "Rules", To: "https://www.example.com/rules"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := View{Sale: "toy", Title: "Golden toy", Brand: b, HasPlace: true, Ahead: 1, HasNumber: true, Drawn: 9}
	in := func(lang string, p Page) string {
		at.Lang = lang
		page, err := Render(p, at)
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	for _, test := range []struct {
		lang string
		page Page
		want []string
	}{
		{"en", Waiting, []string{"<h1>We &lt;3 you &amp; wait</h1>", `<p class="sale">Golden toy</p>`, `alt="Toy &#34;House&#34;" width="168" height="56"`,
			`<a href="/help?a=1&amp;b=2" target="_blank" rel="noopener" title="Open in its own window">Help &amp; more</a>`}},
		{"de", Waiting, []string{"<h1>We &lt;3 you &amp; wait</h1>", `<p class="lead">Gleich.</p>`, `<p class="sale">Goldenes Spielzeug</p>`, "Mensch vor dir", `data-name="Goldenes Spielzeug"`, ">Hilfe</a>", ">Rules</a>"}},
		{"en", Doors, []string{"Bring tea, Golden toy starts soon."}},
		{"de", Lottery, []string{"<h1>We &lt;3 you &amp; wait</h1>", `<p class="lead">Gleich.</p>`}}, // among the views that lie ready
	} {
		page := in(test.lang, test.page)
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s in %s lacks %q:\n%s", test.page, test.lang, want, strings.SplitN(page, "<body", 2)[1])
			}
		}
	}
	at.Brand = nil
	if page := in("de", Waiting); strings.Contains(page, "Gleich.") || strings.Contains(page, "We &lt;3") {
		t.Error("pages without the brand have its texts")
	}
}

func TestBrandTextsRefused(t *testing.T) {
	t.Parallel()
	_, faults := NewBrand(Look{Links: []Link{{Text: "Help", To: "/help", Texts: map[string]string{"eo": "Helpo", "de": "Hilfe"}}}})
	if want := "brand.links[0].texts.eo: pages are not in eo, they are in en, "; len(faults) != 1 || !strings.Contains(faults.Error(), want) {
		t.Errorf("a link in no language: got %v, want %q", faults, want)
	}
	for _, test := range []struct {
		lang, name, text string
		languages        []string
		want             string
	}{
		{"", "waiting.leed", "x", nil, "brand.texts.waiting.leed: is the name of no text, did you mean waiting.lead?"},
		{"de", "wating.lead", "x", nil, "brand.texts.de.wating.lead: is the name of no text, did you mean waiting.lead?"},
		{"", "welcome.to.our.shop", "x", nil, "`waitroom texts` lists"},
		{"", "waiting.step.9", "x", nil, "is the name of no text"},
		{"", "dir", "rtl", nil, "cannot be replaced"},
		{"eo", "waiting.lead", "x", nil, "brand.texts.eo: pages are not in eo, they are in en, "},
		{"", "waiting.lead", "There are {people} ahead", nil, "nothing is known for {people} here, what can stand here is {sale}"},
		{"", "lottery.step.1", "At {open}", nil, "what can stand here is {opens}, {sale}"},
		{"", "action.buy", "Buy {n}", nil, "leave the braces out"},
		{"", "waiting.lead", "A { alone", nil, "a brace that is no hole"},
		{"", "live.between", "{from} or more", nil, "lacks {to}"},
		{"", "live.ahead.one", "person", nil, "depends on how each language counts, write it under the language: en: {live.ahead.one: "},
		{"de", "live.ahead.few", "Menschen", nil, "is not how de counts, it has live.ahead.one, live.ahead.other"},
		{"", "live.ahead.one", "Mensch", []string{"de"}, ""},
		{"", "waiting.title", "{sale}", nil, ""},
		{"", "action.buy", strings.Repeat("x", 41), nil, "has 41 characters, at most 40"},
		{"", "waiting.lead", "<b>Now</b>", nil, "is text, not HTML"},
		{"", "waiting.lead", "you &amp; me", nil, "is text, not HTML"},
		{"", "waiting.lead", "a < b & c, {sale} 5 > 3", nil, ""},
	} {
		_, faults := NewBrand(Look{Texts: map[string]map[string]string{test.lang: {test.name: test.text}}, Languages: test.languages})
		if test.want == "" {
			if faults != nil {
				t.Errorf("%s %q: got %v, want it accepted", test.name, test.text, faults)
			}
			continue
		}
		if len(faults) != 1 || !strings.Contains(faults.Error(), test.want) {
			t.Errorf("%s %q: got %v, want %q", test.name, test.text, faults, test.want)
		}
	}
}
