package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// spare are parts that a page of a shop's own may leave out, by their ids: facts, and
// what explains. What a shopper has to know or to press is not among them.
var spare = strings.Fields("because meter number entered mix awaits left held odds wait proof proof-verdict proof-steps proof-command tell")

// elements are those that do what no other does: a part that is one of ours has to be one.
var elements = strings.Fields("form button progress details template input")

// A sighting is what is wrong with a page, with what a template says where it is, the
// surest first; nothing where something is not there.
type sighting struct {
	complaint
	near []string
}

// compare holds a page to ours: the script, the policy and the reader need in it what
// they need there.
func compare(ours, theirs *markup, b *Brand) []sighting {
	wrong := slices.Clone(theirs.wrong)
	blame := func(what, right string, near ...string) {
		wrong = append(wrong, sighting{complaint{what, right}, near})
	}
	if theirs.lang != ours.lang || theirs.dir != ours.dir {
		blame("the html element does not say the language and its direction", `begin with <html lang="{{.Lang}}" dir="{{.Dir}}">`, "<html")
	}
	if theirs.title == "" {
		blame("there is no title, by which a tab is found", "put <title>{{.TabTitle}}</title> into the head")
	}
	if theirs.charset != "utf-8" {
		blame("the charset is not said", `put <meta charset="utf-8"> into the head, first of all`)
	}
	if !theirs.fits() {
		blame("the page does not fit a phone, or cannot be made larger", `put <meta name="viewport" content="width=device-width, initial-scale=1"> into the head`, "viewport")
	}
	if theirs.refresh != ours.refresh {
		blame("it does not renew itself for who runs no script", "put {{with .Renew}}<noscript><meta http-equiv=\"refresh\" {{.}}></noscript>{{end}} into the head")
	}
	if !slices.Equal(theirs.styles, ours.styles) {
		blame("its style is another than the content policy allows", "put {{.Style}} into the head, once, and leave out style elements: the style is in page.css", "<style")
	}
	if !slices.Equal(theirs.scripts, ours.scripts) {
		blame("its script is another than the content policy allows", "put {{script .Page}} at the end of the body, once, and leave out script elements", "<script")
	}
	if !theirs.clock {
		blame("the countdown has nothing beside it to say what it counts to", "put its words into an element right after it, in an element around both, as waitroom's own view.html does")
	}
	for name, value := range sorted(ours.body) {
		if got, ok := theirs.body[name]; !ok || got != value {
			blame(fmt.Sprintf("the body element lacks %s, which the script needs", name), "take the body element from waitroom's own page.html")
		}
	}
	for view, n := range sorted(ours.heads) {
		if theirs.heads[view] != n {
			blame(fmt.Sprintf("there are %d headings of the first rank, and one is needed", theirs.heads[view]), "put {{.Heading}} into one h1", "<h1")
		}
	}
	wrong = append(wrong, compareParts(ours, theirs)...)
	wrong = append(wrong, compareWays(ours, theirs, b)...)
	return wrong
}

// fits reports whether a page is as wide as the screen, and can be made larger.
func (m *markup) fits() bool {
	v := strings.ReplaceAll(m.viewport, " ", "")
	return strings.Contains(v, "width=device-width") && !strings.Contains(v, "user-scalable=no") && !strings.Contains(v, "maximum-scale")
}

// spares reports whether a page may do without a part. The proof is spared as a whole.
func (m *markup) spares(name string) bool {
	ofProof := strings.HasPrefix(name, "proof-")
	return slices.Contains(spare, name) && !(ofProof && m.parts["proof"] != nil)
}

// compareParts holds what has an id to ours.
func compareParts(ours, theirs *markup) (wrong []sighting) {
	blame := func(what, right string, near ...string) {
		wrong = append(wrong, sighting{complaint{what, right}, near})
	}
	for id, own := range sorted(ours.parts) {
		name := id[strings.LastIndexByte(id, ' ')+1:]
		got, there := theirs.parts[id]
		switch {
		case !there && theirs.spares(name):
			continue
		case !there && strings.HasPrefix(id, "view-"):
			blame("the views that the script shows later are not whole", "put {{.Views}} before the script, and leave \"ready\" in view.html as it is")
			continue
		case !there:
			blame(fmt.Sprintf("there is no element with id=%q", name), "take it from waitroom's own template: "+home(name))
			continue
		}
		for attribute, value := range sorted(own) {
			have, ok := got[attribute]
			if ok && have == value {
				continue
			}
			switch isElement := attribute == ""; {
			case isElement && slices.Contains(elements, value):
				blame(fmt.Sprintf("id=%q is a %s, and has to be a %s", name, have, value), "take it from waitroom's own template", `id="`+name+`"`)
			case !isElement:
				blame(fmt.Sprintf("the element with id=%q lacks %s, which the script needs", name, attribute), "take it from waitroom's own template: "+home(name), `id="`+name+`"`)
			}
		}
	}
	return wrong
}

// home is the template in which we have an id.
func home(id string) string {
	for _, name := range []string{"view.html", "page.html", "prove.html"} {
		if strings.Contains(string(read("web/"+name)), `id="`+id) {
			return name
		}
	}
	return "view.html"
}

// compareWays holds links and forms to ours: what a shopper can do has to be there.
func compareWays(ours, theirs *markup, b *Brand) (wrong []sighting) {
	blame := func(what, right string) { wrong = append(wrong, sighting{complaint: complaint{what, right}}) }
	for to, classes := range sorted(ours.links) {
		if !slices.Contains(classes, "action") {
			continue
		}
		got, there := theirs.links[to]
		if !there {
			blame("what there is to press leads nowhere", `put <a class="action {{.Kind}}" href="{{.Address}}">{{.Label}}</a> inside {{with .Action}}, as waitroom's own view.html does`)
		} else if slices.Contains(classes, "shop") && !slices.Contains(got, "shop") {
			blame("the script does not find the way back to the shop", `give what there is to press class="action {{.Kind}}"`)
		}
	}
	for id, own := range sorted(ours.forms) {
		got, there := theirs.forms[id]
		if !there {
			blame("there is no form to send", fmt.Sprintf("take the form with id=%q from waitroom's own view.html", id))
			continue
		}
		for _, part := range own {
			if !slices.Contains(got, part) {
				blame(fmt.Sprintf("the form with id=%q is not what is to be sent", id), "take its method, action, hidden fields and button from waitroom's own view.html")
				break
			}
		}
	}
	for _, link := range b.look.Links {
		if _, there := theirs.links[link.To]; !there {
			blame("the links of the brand are nowhere", `put {{template "links" .}} where they are to be`)
			break
		}
	}
	for _, image := range ours.images {
		if !slices.Contains(theirs.images, image) {
			blame("the logo of the brand is nowhere", `put {{template "logo" .}} where it is to be`)
		}
	}
	return wrong
}

// sorted goes through a map in the order of its keys, so that the same fault comes first
// each time.
func sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
