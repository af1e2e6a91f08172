package static

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// catalog is every text of one language, by name. A text has holes, written
// {name}; a text that depends on a count has a form a plural category of the
// language, written name.one, name.other and so on.
type catalog struct {
	tongue
	tag    language.Tag
	texts  map[string]string
	live   template.HTMLAttr      // the texts of the script
	extras map[string]extra       // the scripts that are asked for
	views  map[bool]template.HTML // the common ones, of a room or of a sale, for the script to fill in
}

// english is what a language is measured by, and in what a page is that is in no other.
var english = speaking("en")

// catalogs are read when a page is first in their language: a server that speaks few
// starts at once, and holds few.
var catalogs = sync.OnceValue(func() map[string]func() catalog {
	all := make(map[string]func() catalog)
	for _, t := range tongues() {
		all[t.Tag] = sync.OnceValue(func() catalog { return load(t) })
	}
	return all
})

// speaking gives the catalog of a language, or the English one where there is none.
func speaking(tag string) catalog {
	all := catalogs()
	if c := all[tag]; c != nil {
		return c()
	}
	return all["en"]()
}

func load(t tongue) catalog {
	c := catalog{tongue: t, tag: language.Make(t.Tag)}
	if err := json.Unmarshal(read(catalogFile(t.Tag)), &c.texts); err != nil {
		panic("static: messages of " + t.Tag + ": " + err.Error())
	}
	c.live = c.attribute("live")
	c.extras = newExtras(t.Tag, c.texts)
	c.views = map[bool]template.HTML{false: newViews(c, false, nil), true: newViews(c, true, nil)}
	return c
}

func catalogFile(tag string) string { return "messages/" + tag + ".json" }

// Text fills the holes of a text with pairs of name and value. A name without
// a text gives nothing.
func (c catalog) Text(name string, pairs ...string) string {
	return c.fill(c.texts[name], pairs...)
}

// of gives the text of a page by its name on the page. What a room says in other
// words stands under room.
func (c catalog) of(p Page, room bool, name string) string {
	if text := c.texts[string(p)+".room."+name]; room && text != "" {
		return text
	}
	return c.texts[string(p)+"."+name]
}

// step names the text of a step; empty behind the last. A room that begins with a step of
// its own has no others.
func (c catalog) step(p Page, room bool, i int) string {
	name, own := fmt.Sprint("step.", i), string(p)+".room."
	if c.of(p, room, name) == "" || room && c.texts[own+"step.1"] != "" && c.texts[own+name] == "" {
		return ""
	}
	return name
}

// count is Text in the form that n things ask for, with n as {n}.
func (c catalog) count(name string, n uint64) string {
	return c.Text(name+"."+c.form(name, n), "n", c.number(n))
}

// form is the last part of the name of a text for n things.
func (c catalog) form(name string, n uint64) string {
	form := c.category(n)
	if _, ok := c.texts[name+"."+form]; !ok {
		return "other"
	}
	return form
}

// category is the plural category that CLDR has for n in the language.
func (c catalog) category(n uint64) string {
	if c.Millions && n > 0 && n%1_000_000 == 0 {
		return "many" // since CLDR 38, later than plural's
	}
	// Plural rules look at the last six digits and at whether there are more;
	// an int may be 32 bits wide.
	digits := int(min(n, 1_000_000+n%1_000_000))
	return categories[plural.Cardinal.MatchPlural(c.tag, digits, 0, 0, 0, 0)]
}

var categories = map[plural.Form]string{
	plural.Other: "other", plural.Zero: "zero", plural.One: "one",
	plural.Two: "two", plural.Few: "few", plural.Many: "many",
}

// element holds the texts of the script, apart from what is one page's.
func (c catalog) element() template.HTML {
	return template.HTML(`<template id="live" ` + string(c.live) + `></template>`) //nolint:gosec // an attribute that is escaped
}

// attribute gives the texts whose names start with a word, and how the language writes
// numbers and times, as JSON in a data attribute of that word, for the script.
func (c catalog) attribute(word string) template.HTMLAttr {
	found := c.forScript()
	for name, text := range c.texts {
		if rest, ok := strings.CutPrefix(name, word+"."); ok && !ofExtra(name) {
			found[rest] = text
		}
	}
	encoded, _ := json.Marshal(found) // strings always encode, and without <, > and &
	return template.HTMLAttr("data-" + word + "='" + strings.ReplaceAll(string(encoded), "'", "&#39;") + "'")
}
