package static

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markup is what a page has that a script, a policy or a reader depends on.
type markup struct {
	lang, dir, title, viewport, charset string

	body    map[string]string            // its data attributes
	parts   map[string]map[string]string // what has an id: its element under "", its role and data attributes
	within  map[string]string            // the common view that an id is in; of the page itself: ""
	heads   map[string]int               // of each view, and of the page, the h1 that say something
	links   map[string][]string          // where they lead, with their classes
	forms   map[string][]string          // by id: method and address, then what they send, then whether there is a button
	images  []string
	refresh string // of who runs no script
	clock   bool   // what counts down has its words beside it

	styles, scripts []string
	wrong           []sighting // what the policy forbids, or browsers cannot make sense of
}

// markupOf reads a page as a browser does that runs no script.
func markupOf(page []byte) *markup {
	m := &markup{
		body: map[string]string{}, parts: map[string]map[string]string{}, within: map[string]string{},
		heads: map[string]int{}, links: map[string][]string{}, forms: map[string][]string{}, clock: true,
	}
	root, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		m.blame("it cannot be read: "+err.Error(), "write HTML")
		return m
	}
	m.read(root, "", false)
	return m
}

// blame says what is wrong, and what a template says where it is.
func (m *markup) blame(what, right string, near ...string) {
	m.wrong = append(m.wrong, sighting{complaint{what, right}, near})
}

// read takes an element in, with all that is inside. view is the common view that it is
// in; filled says whether the script fills its holes.
func (m *markup) read(n *html.Node, view string, filled bool) {
	switch n.Type {
	case html.ElementNode:
		a := attributes(n)
		if n.DataAtom == atom.Template {
			view = a["id"]
		}
		classes := strings.Fields(a["class"])
		filled = filled || n.DataAtom == atom.Li || slices.Contains(classes, "sale") || slices.Contains(classes, "lead")
		m.element(n, a, view)
	case html.TextNode:
		if view != "" && !filled && (strings.Contains(n.Data, "{sale}") || strings.Contains(n.Data, "{opens}")) {
			m.blame(`the script does not fill in "`+strings.TrimSpace(n.Data)+`" there`, `give the element class="lead", or class="sale" for the title`, strings.TrimSpace(n.Data))
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		m.read(child, view, filled)
	}
}

func attributes(n *html.Node) map[string]string {
	a := map[string]string{}
	for _, one := range n.Attr {
		name := one.Key
		if one.Namespace != "" {
			name = one.Namespace + ":" + name
		}
		a[name] = one.Val
	}
	return a
}

func (m *markup) element(n *html.Node, a map[string]string, view string) {
	m.forbidden(n, a)
	switch n.DataAtom {
	case atom.Html:
		m.lang, m.dir = a["lang"], a["dir"]
	case atom.Title:
		if n.Parent.DataAtom == atom.Head {
			m.title = strings.TrimSpace(textOf(n))
		}
	case atom.Meta:
		m.meta(n, a)
	case atom.Body:
		m.body = dataOf(a)
	case atom.H1:
		if textOf(n) != "" {
			m.heads[view]++
		}
	case atom.A:
		m.links[a["href"]] = append(m.links[a["href"]], strings.Fields(a["class"])...)
	case atom.Form:
		m.forms[a["id"]] = formOf(n, a)
	case atom.Img:
		m.images = append(m.images, a["src"])
	case atom.Style:
		m.styles = append(m.styles, textOf(n))
	case atom.Script:
		m.scripts = append(m.scripts, textOf(n))
	}
	if _, counts := a["data-seconds"]; counts && (nextElement(n) == nil || n.Parent == nil || n.Parent.Parent == nil || n.Parent.Parent.DataAtom == atom.Body) {
		m.clock = false
	}
	id, ok := a["id"]
	if !ok {
		return
	}
	if _, twice := m.parts[id]; twice && view == m.within[id] {
		m.blame(`id="`+id+`" is there twice`, "keep the first", `id="`+id+`"`)
	}
	if view != "" && n.DataAtom != atom.Template { // ours are held to ours as a whole
		id = view + " " + id
	}
	m.parts[id], m.within[id] = dataOf(a), view
	m.parts[id][""] = n.Data
	if a["role"] != "" {
		m.parts[id]["role"] = a["role"]
	}
}

func (m *markup) meta(n *html.Node, a map[string]string) {
	if a["charset"] != "" {
		m.charset = strings.ToLower(a["charset"])
	}
	if strings.EqualFold(a["name"], "viewport") {
		m.viewport = a["content"]
	}
	switch equiv := strings.ToLower(a["http-equiv"]); {
	case equiv == "":
	case equiv == "refresh" && n.Parent.DataAtom == atom.Noscript:
		m.refresh = a["content"]
	case equiv == "refresh":
		m.blame("the page loads itself anew under the reader", "put the refresh into a noscript element, as in waitroom's own page.html", "http-equiv")
	default:
		m.blame(`http-equiv="`+a["http-equiv"]+`" is not for a page to say`, "leave it out: waitroom sends the headers", "http-equiv")
	}
}

// loading are attributes by which an element loads something.
var loading = []string{"src", "srcset", "poster", "background", "data", "xlink:href", "href", "imagesrcset", "manifest", "cite"}

// forbidden says what the content policy would keep from working, or a page of one
// document cannot have.
func (m *markup) forbidden(n *html.Node, a map[string]string) {
	switch n.DataAtom {
	case atom.Iframe, atom.Object, atom.Embed, atom.Frame, atom.Frameset, atom.Base, atom.Applet, atom.Audio, atom.Video:
		m.blame("there is a "+n.Data+" element, which the content policy keeps from working", "leave it out: a page needs nothing but itself", "<"+n.Data)
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		value := strings.TrimSpace(a[name])
		within := value == "" || strings.HasPrefix(value, "#") || strings.HasPrefix(value, "data:image/")
		switch {
		case name == "style":
			m.blame("an element has a style of its own, which the content policy keeps from working", "give it a class, and put the style into page.css", `style="`, "style=")
		case strings.HasPrefix(name, "on"):
			m.blame("an element has a script of its own ("+name+"), which the content policy keeps from running", "leave it out", name+"=")
		case strings.Contains(value, "ZgotmplZ"):
			m.blame("a value stands in "+name+" where it cannot be made safe", "use the value that waitroom's own template has there", name+"=")
		case name == "href" && (n.DataAtom == atom.A || n.DataAtom == atom.Area):
			if strings.HasPrefix(strings.ToLower(value), "javascript:") {
				m.blame("a link runs a script, which the content policy forbids", "let it lead to a page", "javascript:")
			}
		case name == "href" && n.DataAtom == atom.Link && a["rel"] != "icon":
			m.blame("there is a link element that loads something", "leave it out: styles are in page.css", "<link")
		case slices.Contains(loading, name) && !within && n.DataAtom != atom.Blockquote:
			m.blame("the "+n.Data+" element loads "+value+", and a page needs nothing but itself", "put the picture into the page, as data:image/…, or leave it out", value, "<"+n.Data)
		case (name == "action" || name == "formaction") && (value != "" && !strings.HasPrefix(value, "/") && strings.Contains(value, ":") || strings.HasPrefix(value, "//")):
			m.blame("a form is sent to "+value+", which the content policy forbids", "let it go to the shop itself, by a path", value, name+"=")
		}
	}
}

// dataOf are an element's data attributes.
func dataOf(a map[string]string) map[string]string {
	data := map[string]string{}
	for name, value := range a {
		if strings.HasPrefix(name, "data-") {
			data[name] = value
		}
	}
	return data
}

// formOf is where a form goes, what it sends unseen, and whether it can be sent.
func formOf(n *html.Node, a map[string]string) []string {
	form := []string{"goes by " + strings.ToUpper(a["method"]) + " to " + a["action"]}
	button := ""
	each(n, func(n *html.Node) {
		own := attributes(n)
		switch {
		case n.DataAtom == atom.Input && own["type"] == "hidden":
			form = append(form, "sends "+own["name"]+"="+own["value"])
		case n.DataAtom == atom.Button && own["type"] != "button" && own["type"] != "reset":
			button = "has a button"
		}
	})
	return append(form, button)
}

func each(n *html.Node, do func(*html.Node)) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		do(child)
		each(child, do)
	}
}

func textOf(n *html.Node) string {
	var out strings.Builder
	each(n, func(n *html.Node) {
		if n.Type == html.TextNode {
			out.WriteString(n.Data)
		}
	})
	return out.String()
}

func nextElement(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil; n = n.NextSibling {
		if n.Type == html.ElementNode {
			return n
		}
	}
	return nil
}
