package static

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// own are the templates of a look in which markup is, with their names.
func (l Look) own(yield func(name, text string) bool) {
	for _, name := range []string{"page.html", "view.html"} {
		if text, there := l.Templates[name]; there && !yield(name, text) {
			return
		}
	}
}

// placeOf is the first line of a look's templates that says one of some things and is
// none of waitroom's own, as "view.html:3: "; empty where none does: values say it, or
// another template.
func (l Look) placeOf(things []string) string {
	for _, thing := range things {
		thing = strings.ToLower(thing)
		for name, text := range l.own {
			ours := strings.Split(string(read("web/"+name)), "\n")
			for i, line := range strings.Split(text, "\n") {
				if strings.Contains(strings.ToLower(line), thing) && !slices.Contains(ours, strings.TrimRight(line, "\r")) {
					return fmt.Sprintf("%s:%d: ", name, i+1)
				}
			}
		}
	}
	return ""
}

// endings are what begins in a template and has to end there, by how the templates'
// library calls where it is when nothing follows.
var endings = []struct{ state, begins, ends string }{
	{"stateHTMLCmt", "<!--", "-->"},
	{"elementScript", "<script", "</script>"},
	{"elementStyle", "<style", "</style>"},
	{"elementTextarea", "<textarea", "</textarea>"},
	{"elementTitle", "<title", "</title>"},
}

var (
	endlessForm = regexp.MustCompile(`ends in a non-text context: \{(.*)\}`)
	actionForm  = regexp.MustCompile(`\{\{.*?\}\}`)
	commentForm = regexp.MustCompile(`\{\{(?:- )?/\*`)
)

// endless says what a template begins and does not end, with its file and line; nil where
// something else is wrong.
func (l Look) endless(err error) *complaint {
	found := endlessForm.FindStringSubmatch(err.Error())
	place := ""
	if strings.Contains(err.Error(), "unexpected <") {
		place = l.swallowing()
	}
	switch {
	case place != "":
		return &complaint{place + "a comment is never closed", "put */}} where it ends"}
	case found == nil:
		return nil
	}
	for _, e := range endings {
		if strings.Contains(found[1], e.state) {
			return &complaint{l.unclosed(e.begins, e.ends) + e.begins + " is never closed", "put " + e.ends + " where it ends"}
		}
	}
	for name, text := range l.own {
		for i, line := range strings.Split(text, "\n") {
			if strings.Count(actionForm.ReplaceAllString(line, ""), `"`)%2 == 1 {
				return &complaint{fmt.Sprintf("%s:%d: the quotation mark of an attribute is never closed", name, i+1), `put " where it ends`}
			}
		}
	}
	return &complaint{"a tag or an attribute is never closed", "put > or the quotation mark where it ends"}
}

// swallowing is the line of a comment that ends where a later one does, with all between
// them in it.
func (l Look) swallowing() string {
	for name, text := range l.own {
		for from := 0; ; {
			at := commentForm.FindStringIndex(text[from:])
			if at == nil {
				break
			}
			inside, _, _ := strings.Cut(text[from+at[1]:], "*/")
			if strings.Contains(inside, "{{") {
				return fmt.Sprintf("%s:%d: ", name, 1+strings.Count(text[:from+at[0]], "\n"))
			}
			from += at[1] + len(inside)
		}
	}
	return ""
}

// unclosed is the line of the last beginning of something that has no end behind it.
func (l Look) unclosed(begins, ends string) string {
	for name, text := range l.own {
		text = strings.ToLower(text)
		if at := strings.LastIndex(text, begins); at >= 0 && !strings.Contains(text[at:], ends) {
			return fmt.Sprintf("%s:%d: ", name, 1+strings.Count(text[:at], "\n"))
		}
	}
	return ""
}
