package static

import (
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
)

// Templates are those that a look can replace, by name: the page, what changes in it
// while it is open, and the style.
func Templates() map[string]string {
	all := map[string]string{}
	for _, name := range templateNames {
		all[name] = string(read("web/" + name))
	}
	return all
}

var defineForm = regexp.MustCompile(`\{\{-?\s*define\s+["\x60]view["\x60]`)

var templateNames = []string{"page.css", "page.html", "view.html"}

// plan is our layout with the templates of a look over it.
func (l Look) plan() (*template.Template, *complaint) {
	t := template.Must(base.Clone())
	for _, name := range []string{"page.html", "view.html"} {
		own, there := l.Templates[name]
		if !there {
			continue
		}
		if _, err := t.Lookup(name).Parse(strings.ReplaceAll(own, "\r\n", "\n")); err != nil {
			return nil, l.inPlainWords(err)
		}
	}
	if own, there := l.Templates["view.html"]; there && !defineForm.MatchString(own) {
		return nil, &complaint{`view.html: defines no "view"`, `put what it says between {{define "view"}} and {{end}}`}
	}
	return t.Lookup("page.html"), nil
}

// sheet is the style of a look: its own page.css, or ours.
func (l Look) sheet() (string, *complaint) {
	own, replaced := l.Templates["page.css"]
	if !replaced {
		return style, nil
	}
	own = strings.ReplaceAll(own, "\r\n", "\n")
	read := lettered(own)
	for _, at := range outside.FindAllStringIndex(read, -1) {
		found := strings.TrimSpace(read[at[0]:at[1]])
		if !strings.HasPrefix(read[at[1]-1:], "data:image/") {
			return "", &complaint{fmt.Sprintf("page.css:%d: %q loads something else, and a page needs nothing but itself", 1+strings.Count(read[:at[0]], "\n"), found), "put it into the file itself, as data:image/…, or leave it out"}
		}
	}
	for i, line := range strings.Split(own, "\n") {
		if strings.Contains(strings.ToLower(line), "</style") || strings.ContainsRune(line, 0) {
			return "", &complaint{fmt.Sprintf("page.css:%d: is not a style sheet", i+1), "write nothing but CSS in it"}
		}
	}
	var out strings.Builder
	if err := (&css.Minifier{}).Minify(minify.New(), &out, strings.NewReader(own), nil); err != nil {
		return "", &complaint{"page.css: cannot be read: " + err.Error(), "write nothing but CSS in it"}
	}
	return out.String(), nil
}

var cssEscape = regexp.MustCompile(`\\([0-9a-fA-F]{1,6})[ \t]?|\\([g-zG-Z])`)

// lettered is a style sheet with its plain letters as letters, of which each can be written
// as its number, or behind a backslash.
func lettered(sheet string) string {
	return cssEscape.ReplaceAllStringFunc(sheet, func(found string) string {
		parts := cssEscape.FindStringSubmatch(found)
		if n, err := strconv.ParseUint(parts[1], 16, 32); err == nil && n > ' ' && n < 0x7f {
			return string(rune(n))
		} else if err == nil {
			return found
		}
		return parts[2]
	})
}

// mostTurns of a template bound one that would not end: ours take some hundred.
const mostTurns = 20_000

var errTurns = errors.New("it goes round without an end")

// counted is a plan that fails where it goes on for too long. Only for trying: each
// count is one execution's.
func counted(t *template.Template) (plan *template.Template, again func()) {
	left := mostTurns
	plan = template.Must(t.Clone()).Funcs(template.FuncMap{
		"turn": func() (bool, error) {
			if left--; left < 0 {
				return false, errTurns
			}
			return false, nil
		},
		"print":   func(a ...any) (string, error) { return short(fmt.Sprint(a...)) },
		"println": func(a ...any) (string, error) { return short(fmt.Sprintln(a...)) },
		"printf":  func(form string, a ...any) (string, error) { return short(fmt.Sprintf(form, a...)) },
	})
	for _, one := range plan.Templates() {
		if one.Tree != nil && one.Tree.Root != nil {
			count(one.Tree, one.Tree.Root)
			one.Tree.Root.Nodes = slices.Insert(one.Tree.Root.Nodes, 0, turn(one.Tree, 1))
		}
	}
	return plan, func() { left = mostTurns }
}

// count puts a turn into each round of what is repeated.
func count(tree *parse.Tree, list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.RangeNode:
			count(tree, n.List)
			count(tree, n.ElseList)
			n.List.Nodes = slices.Insert(n.List.Nodes, 0, turn(tree, n.Line))
		case *parse.IfNode:
			count(tree, n.List)
			count(tree, n.ElseList)
		case *parse.WithNode:
			count(tree, n.List)
			count(tree, n.ElseList)
		}
	}
}

// turn is an action that does nothing but count, in a line of a template.
func turn(tree *parse.Tree, line int) parse.Node {
	const action = "{{if turn}}{{end}}"
	trees, err := parse.Parse(tree.ParseName, strings.Repeat("\n", max(0, line-1))+action, "", "", map[string]any{"turn": true})
	if err != nil {
		panic("static: " + err.Error()) // always the same
	}
	nodes := trees[tree.ParseName].Root.Nodes
	return nodes[len(nodes)-1]
}

// short is a text that is not grown to fill the memory.
func short(s string) (string, error) {
	if len(s) > 64<<10 {
		return "", errEndless
	}
	return s, nil
}

// How the templates' library says what is wrong.
var (
	placeForm    = regexp.MustCompile(`(?:html/)?template: ?[\w.-]+:\d+`)
	faultForm    = regexp.MustCompile(`^(?:html/)?template: ?([\w.-]+):(\d+)(?::\d+)?: (?:executing "[^"]*" at <(.*?)>: )?(.*)$`)
	missingForm  = regexp.MustCompile(`can't evaluate field (\w+) in type`)
	functionForm = regexp.MustCompile(`function "(\w+)" not defined`)
	templateForm = regexp.MustCompile(`(?:template|no such template:?) "?(\w+)"?(?: not defined)?$`)
)

// inPlainWords says what is wrong with a template, with its file and line.
func (l Look) inPlainWords(err error) *complaint {
	if c := l.endless(err); c != nil {
		return c
	}
	text := err.Error()
	if all := placeForm.FindAllStringIndex(text, -1); all != nil {
		text = text[all[len(all)-1][0]:] // of templates in templates, the innermost
	}
	found := faultForm.FindStringSubmatch(text)
	if found == nil {
		text = text[strings.LastIndex(text, "template:")+len("template:"):]
		return &complaint{strings.TrimSpace(text), "docs/branding.md says what templates can do"}
	}
	place, at, what := found[1]+":"+found[2]+": ", found[3], found[4]
	for _, word := range []struct {
		form        *regexp.Regexp
		what, right string
	}{
		{missingForm, "there is nothing called .%s here", "docs/branding.md lists what there is; inside range and with, the page's own begin with $."},
		{functionForm, "there is nothing called %s", "a value of the page begins with a dot, as .Heading"},
		{regexp.MustCompile(`multiple definition of template "(\w+)"`), "there is a second {{define %q}}", "keep one of the two, or call the other by a name of its own"},
		{regexp.MustCompile(`(unclosed comment)`), "a comment is never closed%.0s", "put */}} where it ends"},
		{regexp.MustCompile(`(comment ends before closing delimiter)`), "something stands between */ and }}%.0s", "end the comment with */}}"},
		{regexp.MustCompile(`(unexpected "/" in command)`), "a comment does not begin with {{ and blanks%.0s", "begin it with {{/* and end it with */}}"},
		{regexp.MustCompile(`(unterminated (?:quoted|raw quoted) (?:string|constant))`), "a quotation mark is never closed%.0s", "close it, in the same line"},
		{regexp.MustCompile(`undefined variable "(\$\w*)"`), "there is nothing called %s", "what begins with $ has to be set before, as {{$x := .Heading}}; the page's own values inside range and with begin with $."},
		{regexp.MustCompile(`(unexpected EOF)`), "an {{if}}, {{range}}, {{with}} or {{define}} is never closed%.0s", "put {{end}} where it ends"},
		{regexp.MustCompile(`(unexpected {{end}})`), "there is one {{end}} too many%.0s", "take it out, or open what it ends"},
		{regexp.MustCompile(`(unclosed action|bad character U\+003C|unexpected "<" in)`), "{{ is never closed%.0s", "put }} where it ends, in the same line"},
		{regexp.MustCompile(`(` + errTurns.Error() + `|exceeded maximum template depth)`), "it goes round without an end%.0s", "repeat nothing but .Steps, .Facts, .Fields, .Links and .Others"},
		{regexp.MustCompile(`(` + errEndless.Error() + `)`), "%s", "repeat nothing but .Steps, .Facts, .Fields, .Links and .Others"},
		{regexp.MustCompile(`(ambiguous context|branches end in different contexts|in unquoted attr|ends in a non-text context|cannot compute output context)`), "a value stands where it cannot be made safe (%s)", `put values between tags or into quoted attributes, as title="{{.Name}}"`},
		{templateForm, "there is no template called %s", `there are "view", "logo", "links", "languages", "icon" and "prove"`},
		{regexp.MustCompile(`(nil pointer evaluating)`), "%.0s" + at + " is not there on every page", "put {{with …}} around it"},
		{regexp.MustCompile(`(index out of range.*)`), "%.0s" + at + " is not there on every page", "put {{range …}} or {{with …}} around it"},
	} {
		if hit := word.form.FindStringSubmatch(what); hit != nil {
			return &complaint{place + fmt.Sprintf(word.what, hit[1]), word.right}
		}
	}
	return &complaint{place + what, "docs/branding.md says what templates can do"}
}
