package static

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// What is wrong with a template is told with its file and line, and with what would be
// right, also where only the page shows it.
func TestTemplateFaultsHavePlaces(t *testing.T) {
	t.Parallel()
	page, view := Templates()["page.html"], Templates()["view.html"]
	before := func(text, mark, what string) string {
		if strings.Count(text, mark) == 0 {
			t.Errorf("no %q", mark)
		}
		return strings.Replace(text, mark, "\n"+what+"\n"+mark, 1)
	}
	line := func(text, what string) string { // of its first line that has it
		for i, l := range strings.Split(text, "\n") {
			if strings.Contains(l, what) {
				return strconv.Itoa(i + 1)
			}
		}
		return "?"
	}
	inPage := func(what string) (map[string]string, string) {
		text := before(page, "</body>", what)
		return map[string]string{"page.html": text}, "page.html:" + line(text, what) + ": "
	}
	inView := func(what string) (map[string]string, string) {
		text := before(view, "<h1>", what)
		return map[string]string{"view.html": text}, "view.html:" + line(text, what) + ": "
	}
	for _, test := range []struct {
		in          func(string) (map[string]string, string)
		what, wrong string // what is put in, and what is said behind its place
	}{
		{inPage, `<script>alert(1)</script>`, "its script is another than the content policy allows, put {{script .Page}} at the end of the body, once, and leave out script elements"},
		{inPage, `<SCRIPT src="https://cdn.example.com/x.js"></SCRIPT>`, "the script element loads https://cdn.example.com/x.js, and a page needs nothing but itself"},
		{inView, `<style>a{}</style>`, "its style is another than the content policy allows, put {{.Style}} into the head, once"},
		{inView, `<img src="/logo.png" alt="">`, "the img element loads /logo.png, and a page needs nothing but itself, put the picture into the page"},
		{inView, `<img src="/{{.Sale}}.png" alt="">`, "the img element loads /golden-toy.png"},
		{inView, `<p style="color:red">x</p>`, "an element has a style of its own, which the content policy keeps from working, give it a class"},
		{inView, `<p onclick="x()">x</p>`, "an element has a script of its own (onclick)"},
		{inPage, `<iframe srcdoc="x"></iframe>`, "there is a iframe element"},
		{inPage, `<link rel="stylesheet" href="/x.css">`, "there is a link element that loads something, leave it out"},
		{inView, `<h1>Toy House</h1>`, "there are 2 headings of the first rank"},
		{inView, `{{/* a remark`, "a comment is never closed, put */}} where it ends"},
		{inView, `{{/* a remark */ }}`, "something stands between */ and }}, end the comment with */}}"},
		{inView, `{{ /* a remark */}}`, "a comment does not begin with {{ and blanks, begin it with {{/* and end it with */}}"},
		{inPage, `<!-- a remark`, "<!-- is never closed, put --> where it ends"},
		{inPage, `<p class="toy>x</p>`, `the quotation mark of an attribute is never closed, put " where it ends`},
		{inView, `{{.T.Text "x}}`, "a quotation mark is never closed, close it, in the same line"},
		{inView, `{{$toy}}`, "there is nothing called $toy, what begins with $ has to be set before"},
	} {
		templates, place := test.in(test.what)
		_, err := NewBrand(Look{Templates: templates, Languages: []string{"en"}})
		faults, _ := errors.AsType[Faults](err)
		if len(faults) == 0 || !strings.Contains(faults.Error(), "brand.templates: "+place) || !strings.Contains(strings.ReplaceAll(faults.Error(), "brand.templates: "+place, "\x00"), test.wrong) {
			t.Errorf("%s: got %v, want %q and %q", test.what, err, place, test.wrong)
		}
	}
	twice := view + "\n{{define \"view\"}}<p>{{end}}\n"
	_, err := NewBrand(Look{Templates: map[string]string{"view.html": twice}, Languages: []string{"en"}})
	if want := "brand.templates: view.html:" + line(twice, "{{define \"view\"}}<p>") + ": there is a second {{define \"view\"}}, keep one of the two"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a second view: got %v, want %q", err, want)
	}
}
