package static

import (
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// catalog is every text of one language, by name. A text has holes, written
// {name}; a text that depends on a count has a form a plural category of the
// language, written name.one, name.other and so on.
type catalog struct {
	tag     language.Tag
	texts   map[string]string
	printer *message.Printer
	live    template.HTMLAttr      // the texts of the script
	views   map[bool]template.HTML // the common ones, of a room or of a sale, for the script to fill in
}

var english = load(language.English)

func load(tag language.Tag) catalog {
	c := catalog{tag: tag, printer: message.NewPrinter(tag)}
	if err := json.Unmarshal(read("messages/"+tag.String()+".json"), &c.texts); err != nil {
		panic("static: messages of " + tag.String() + ": " + err.Error())
	}
	c.live = c.attribute("live")
	c.views = map[bool]template.HTML{false: newViews(c, false), true: newViews(c, true)}
	return c
}

// Text fills the holes of a text with pairs of name and value. A name without
// a text gives nothing.
func (c catalog) Text(name string, pairs ...string) string {
	text := c.texts[name]
	if len(pairs) > 0 {
		text = holes(pairs...).Replace(text)
	}
	return text
}

// of gives the text of a page by its name on the page. What a room says in other
// words stands under room.
func (c catalog) of(p Page, room bool, name string) string {
	if text := c.texts[string(p)+".room."+name]; room && text != "" {
		return text
	}
	return c.texts[string(p)+"."+name]
}

// holes fills holes, from pairs of name and value.
func holes(pairs ...string) *strings.Replacer {
	braced := slices.Clone(pairs)
	for i := 0; i < len(braced); i += 2 {
		braced[i] = "{" + braced[i] + "}"
	}
	return strings.NewReplacer(braced...)
}

// count is Text in the form that n things ask for, with n as {n}.
func (c catalog) count(name string, n uint64) string {
	return c.Text(name+"."+c.form(name, n), "n", c.number(n))
}

// form is the last part of the name of a text for n things.
func (c catalog) form(name string, n uint64) string {
	// Plural rules look at the last six digits and at whether there are more;
	// an int may be 32 bits wide.
	digits := int(min(n, 1_000_000+n%1_000_000))
	form := categories[plural.Cardinal.MatchPlural(c.tag, digits, 0, 0, 0, 0)]
	if _, ok := c.texts[name+"."+form]; !ok {
		return "other"
	}
	return form
}

var categories = map[plural.Form]string{
	plural.Other: "other", plural.Zero: "zero", plural.One: "one",
	plural.Two: "two", plural.Few: "few", plural.Many: "many",
}

// number writes n with the language's digits and separators.
func (c catalog) number(n uint64) string { return c.printer.Sprint(number.Decimal(n)) }

// attribute gives the texts whose names start with a word, as JSON in a data
// attribute of that word, for the script.
func (c catalog) attribute(word string) template.HTMLAttr {
	found := make(map[string]string)
	for name, text := range c.texts {
		if rest, ok := strings.CutPrefix(name, word+"."); ok {
			found[rest] = text
		}
	}
	encoded, _ := json.Marshal(found) // strings always encode
	return template.HTMLAttr("data-" + word + `="` + template.HTMLEscapeString(string(encoded)) + `"`)
}
