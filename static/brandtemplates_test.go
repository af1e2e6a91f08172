package static

import (
	"strings"
	"testing"
	"time"
)

// What waitroom has itself passes, and so it is a beginning for a shop's own.
func TestTemplatesOfOurOwn(t *testing.T) {
	t.Parallel()
	began := time.Now()
	b, err := NewBrand(Look{Templates: Templates(), Colour: "#0057b8", Logo: []byte(golden), LogoText: "Toy House", Links: []Link{{Text: "Help", To: "/help"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("took %v", time.Since(began))
	plain, err := NewBrand(Look{Colour: "#0057b8", Logo: []byte(golden), LogoText: "Toy House", Links: []Link{{Text: "Help", To: "/help"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Known() {
		v := tried
		v.Brand = b
		got, err := Render(p, v)
		if err != nil {
			t.Fatal(err)
		}
		v.Brand = plain
		if want, _ := Render(p, v); string(got) != string(want) {
			t.Errorf("%s is another by the same templates", p)
		}
	}
}

func TestTemplatesRefused(t *testing.T) {
	t.Parallel()
	page, view := Templates()["page.html"], Templates()["view.html"]
	in := func(name, old, new string) map[string]string {
		source := map[string]string{"page.html": page, "view.html": view}[name]
		if !strings.Contains(source, old) {
			t.Errorf("%s has no %q", name, old)
		}
		return map[string]string{name: strings.Replace(source, old, new, 1)}
	}
	for name, test := range map[string]struct {
		templates map[string]string
		want      string
	}{
		"never closed":         {map[string]string{"view.html": "{{define \"view\"}}\n{{if .Figure}}\n<h1>{{.Heading}}</h1>"}, "view.html:3: an {{if}}, {{range}}, {{with}} or {{define}} is never closed, put {{end}} where it ends"},
		"closed too often":     {in("view.html", "<header>", "<header>{{end}}{{end}}"), "view.html:1: there is one {{end}} too many"},
		"half a brace":         {in("view.html", "{{.Heading}}", "{{.Heading"), "view.html:5: {{ is never closed"},
		"no such value":        {in("view.html", "{{.Heading}}", "{{.Headline}}"), "view.html:5: there is nothing called .Headline here"},
		"no such function":     {in("view.html", "{{.Heading}}", "{{heading}}"), `view.html:5: there is nothing called heading, a value of the page begins with a dot`},
		"no such template":     {in("page.html", `{{- template "logo" .}}`, `{{- template "banner" .}}`), `there is no template called banner`},
		"not on every page":    {in("view.html", "{{.Heading}}", "{{.Action.Label}}"), "view.html:5: "},
		"out of range":         {in("view.html", "{{.Heading}}", "{{index .Steps 4}}"), "view.html:5: "},
		"no view":              {map[string]string{"view.html": "<h1>{{.Heading}}</h1>"}, `view.html: defines no "view"`},
		"unquoted":             {in("view.html", "<header>", `<header>{{if .Room}}<a href="{{end}}`), "a value stands where it cannot be made safe"},
		"round and round":      {in("view.html", `{{define "view"}}<header>`, `{{define "a"}}{{template "a" .}}{{end}}{{define "view"}}<header>{{template "a" .}}`), "it goes round without an end"},
		"counting for ever":    {in("view.html", "<header>", "<header>{{range .Number}}{{end}}"), "view.html:1: it goes round without an end"},
		"a number for ever":    {in("view.html", "<header>", "<header>{{range 9223372036854775807}}{{end}}"), "it goes round without an end"},
		"writing for ever":     {in("view.html", "<header>", `<header>{{range 19000}}`+strings.Repeat("x", 1000)+`{{end}}`), "more than a megabyte"},
		"growing for ever":     {in("view.html", "<header>", `<header>{{$x := "xxxxxxxx"}}{{range 40}}{{$x = printf "%s%s" $x $x}}{{end}}`), "more than a megabyte"},
		"own script":           {in("page.html", "</body>", "<script>alert(1)</script></body>"), "its script is another"},
		"no script":            {in("page.html", "{{script .Page}}", ""), "its script is another"},
		"script from outside":  {in("page.html", "</body>", `<script src="https://cdn.example.com/x.js"></script></body>`), "loads https://cdn.example.com/x.js"},
		"own style":            {in("page.html", "</head>", "<style>a{}</style></head>"), "its style is another"},
		"no style":             {in("page.html", "{{.Style}}", ""), "its style is another"},
		"style from outside":   {in("page.html", "</head>", `<link rel="stylesheet" href="/x.css"></head>`), "link element"},
		"font from outside":    {map[string]string{"page.css": "a{}\n@font-face{src:url(https://fonts.example.com/x.woff2)}"}, "page.css:2: "},
		"font, in numbers":     {map[string]string{"page.css": "a{}\n@font-face{src:u\\72l(https://fonts.example.com/x.woff2)}"}, "page.css:2: "},
		"sheet, in numbers":    {map[string]string{"page.css": "@\\69mport \"https://example.com/x.css\";"}, "page.css:1: "},
		"picture, next line":   {map[string]string{"page.css": "a{background:url(\n'https://example.com/x.png')}"}, "page.css:1: "},
		"beside a picture":     {map[string]string{"page.css": "a{background:url(data:image/png;base64,AA==),url(https://example.com/x.png)}"}, "page.css:1: "},
		"style at an element":  {in("view.html", "<header>", `<header style="color:red">`), "a style of its own"},
		"script at an element": {in("view.html", "<header>", `<header onclick="x()">`), "a script of its own (onclick)"},
		"picture from outside": {in("view.html", "<header>", `<header><img src="/logo.png" alt="">`), "the img element loads /logo.png"},
		"frame":                {in("view.html", "<header>", `<header><iframe srcdoc="x"></iframe>`), "iframe element"},
		"script in a link":     {in("view.html", "<header>", `<header><a href="javascript:x()">x</a>`), "a link runs a script"},
		"reload":               {in("page.html", "</head>", `<meta http-equiv="refresh" content="5"></head>`), "loads itself anew under the reader"},
		"own policy":           {in("page.html", "</head>", `<meta http-equiv="Content-Security-Policy" content="x"></head>`), "not for a page to say"},
		"no language":          {in("page.html", ` lang="{{.Lang}}" dir="{{.Dir}}"`, ` lang="en"`), "the language and its direction"},
		"no title":             {in("page.html", "<title>{{.TabTitle}}</title>", ""), "there is no title"},
		"no charset":           {in("page.html", `<meta charset="utf-8">`, ""), "charset"},
		"no zoom":              {in("page.html", "initial-scale=1", "initial-scale=1, user-scalable=no"), "cannot be made larger"},
		"no refresh":           {in("page.html", `<noscript><meta http-equiv="refresh" {{.}}></noscript>`, "{{.}}"), "for who runs no script"},
		"no views":             {in("page.html", "{{.Views}}", ""), "views that the script shows later"},
		"no live region":       {in("page.html", `<p id="say" class="unseen" role="status"></p>`, ""), `no element with id="say", take it from waitroom's own template: page.html`},
		"silent live region":   {in("page.html", ` role="status"`, ""), `"say" lacks role`},
		"no data":              {in("page.html", ` data-sale="{{.Sale}}"`, ""), "lacks data-sale"},
		"no note":              {in("view.html", `id="note"`, `id="news"`), `no element with id="note"`},
		"no heading":           {in("view.html", "<h1>{{.Heading}}</h1>", "<h2>{{.Heading}}</h2>"), "0 headings"},
		"two headings":         {in("view.html", "<h1>{{.Heading}}</h1>", "<h1>{{.Heading}}</h1><h1>Toy House</h1>"), "2 headings"},
		"no figure":            {in("view.html", `id="{{.Kind}}"{{with .Seconds}}`, `{{with .Seconds}}`), `no element with id="`},
		"no button":            {in("view.html", `<button class="action{{if $.Lost}} look{{end}}" data-busy="{{$.T.Text "action.busy"}}">{{.Label}}</button>`, ""), `the form with id="buy"`},
		"no fields":            {in("view.html", `<input type="hidden" name="{{.Name}}" value="{{.Value}}">`, ""), `the form with id="buy"`},
		"no way to pay":        {in("view.html", `href="{{.Address}}"`, `href="/"`), "what there is to press leads nowhere"},
		"a hole left":          {in("view.html", `<li>{{.}}</li>`, `<p>{{.}}</p>`), "the script does not fill in"},
		"no css":               {map[string]string{"page.css": "a{}</style><script>"}, "page.css:1: is not a style sheet"},
		"heavy":                {map[string]string{"page.css": noise(40 << 10)}, "too large"},
	} {
		_, faults := NewBrand(Look{Templates: test.templates, Languages: []string{"en"}})
		if len(faults) == 0 || faults[0].Key != "brand.templates" || !strings.Contains(faults.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, faults, test.want)
		}
	}
}

// noise is a style that packs badly.
func noise(n int) string {
	var out strings.Builder
	for x := uint32(1); out.Len() < n; x = x*1664525 + 1013904223 {
		out.WriteString(colour{uint8(x >> 24), uint8(x >> 16), uint8(x >> 8)}.String()[1:]) //nolint:gosec // bits
	}
	return "a{--x:\"" + out.String() + "\"}"
}

// Where a template fails on a view that was not tried, the page is there all the same.
func TestTemplatesFallBack(t *testing.T) {
	t.Parallel()
	b, faults := NewBrand(Look{Templates: map[string]string{"view.html": strings.Replace(Templates()["view.html"], "<header>", `<header>{{if eq .Title "X"}}{{index .Steps 99}}{{end}}`, 1)}, Languages: []string{"en"}})
	if faults != nil {
		t.Fatal(faults)
	}
	page, err := Render(Waiting, View{Sale: "toy", Title: "X", Brand: b})
	if err != nil || !strings.Contains(string(page), "<h1>You are in line</h1>") {
		t.Errorf("got %.100s and %v, want the page", page, err)
	}
}

// A logo that is too large is told with how large it may be, and one of that size fits.
func TestBrandWeight(t *testing.T) {
	t.Parallel()
	svg := func(n int) []byte {
		return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M` + noise(n)[7:n] + `"/></svg>`)
	}
	_, faults := NewBrand(Look{Logo: svg(30_000), LogoText: "x", Languages: []string{"en", "hi"}})
	if len(faults) != 1 || faults[0].Key != "brand.logo" || !strings.Contains(faults.Error(), "when packed, in ") || !strings.Contains(faults.Error(), "of it, and may be ") {
		t.Fatalf("got %v, want that the logo is too large", faults)
	}
	t.Log(faults)
	if _, err := NewBrand(Look{Logo: svg(600), LogoText: "x", Languages: []string{"en"}}); err != nil {
		t.Errorf("a small one: %v", err)
	}
}

// The page that is weighed is the heaviest, but for a few bytes.
func TestHeavyIsHeavy(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "hi"} {
		most, worst := 0, Page("")
		for _, p := range Known() {
			v := tried
			v.Lang = lang
			page, err := Render(p, v)
			if err != nil {
				t.Fatal(err)
			}
			if n := packedSize(page); n > most {
				most, worst = n, p
			}
		}
		if got := (&Brand{layout: layout, style: style}).size(lang); got+64 < most {
			t.Errorf("%s: %s has %d bytes, and %s has %d", lang, heavy, got, worst, most)
		}
	}
}
