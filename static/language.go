package static

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// tongue is what there is to know of a language besides its texts: what it is called by
// those who read it, and how it writes numbers and times (Unicode CLDR).
type tongue struct {
	Tag      string `json:"tag"`
	Name     string `json:"name"`
	Locale   string `json:"locale"`   // whose habits the script follows with Intl; empty: Tag's
	Millions bool   `json:"millions"` // whole millions have a plural category of their own, "many"
	numbers
	calendar
}

// forScript says to the script how the language writes.
func (t tongue) forScript() map[string]string {
	told := map[string]string{
		"locale": cmp.Or(t.Locale, t.Tag), "hour": "numeric",
		"group": t.Group, "least": "1" + strings.Repeat("0", 2+t.Least), // the first number with groups
	}
	if strings.Contains(t.Time, "{hour2}") {
		told["hour"] = "2-digit"
	}
	if t.Lakhs {
		told["lakhs"] = "yes"
	}
	return told
}

// tongues are those of languages.json that have a catalog, in its order.
var tongues = sync.OnceValue(func() (there []tongue) {
	var all []tongue
	if err := json.Unmarshal(read("languages.json"), &all); err != nil {
		panic("static: languages.json: " + err.Error())
	}
	for _, t := range all {
		if _, err := fs.Stat(files, catalogFile(t.Tag)); err == nil {
			there = append(there, t)
		}
	}
	return there
})

// Languages lists the languages that pages can be in, as BCP 47 tags, English first.
func Languages() []string {
	var tags []string
	for _, t := range tongues() {
		tags = append(tags, t.Tag)
	}
	return tags
}

// Bounds on what one request may have read of it.
const (
	longestAccept = 256 // bytes of Accept-Language; browsers send less than 100
	mostAccepted  = 16  // languages in it
)

// Speak chooses the language of a page among those offered, which are all there are if
// none is named: the one that the reader has wished for, or else the nearest to what the
// Accept-Language of the request names (RFC 9110, 12.5.4), or else the first. Of a
// longer one than browsers send only the beginning is read. What it gives is one of its
// own tags, never its argument, which may be a piece of a request that is over soon.
func Speak(wish, acceptLanguage string, offered []string) string {
	m := matcherFor(offered)
	if i := slices.Index(m.tags, wish); i >= 0 {
		return m.tags[i]
	}
	if len(acceptLanguage) > longestAccept {
		cut := strings.LastIndexByte(acceptLanguage[:longestAccept], ',')
		acceptLanguage = acceptLanguage[:max(0, cut)]
	}
	if acceptLanguage == "" || len(m.tags) == 1 {
		return m.tags[0]
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return m.tags[0]
	}
	_, i, _ := m.matcher.Match(wanted[:min(len(wanted), mostAccepted)]...)
	return m.tags[i]
}

// matcher finds the nearest of some languages.
type matcher struct {
	tags    []string
	matcher language.Matcher
}

// matchers are kept by what is offered: configurations name few, and one takes longer to
// make than a page.
var matchers sync.Map

func matcherFor(offered []string) matcher {
	name := strings.Join(offered, " ")
	if m, ok := matchers.Load(name); ok {
		return m.(matcher)
	}
	m := matcher{tags: known(offered)}
	var tags []language.Tag
	for _, tag := range m.tags {
		tags = append(tags, language.Make(tag))
	}
	m.matcher = language.NewMatcher(tags)
	matchers.Store(name, m)
	return m
}

// known are those of some languages that there are; all there are if that is none.
func known(offered []string) []string {
	all := Languages()
	some := slices.DeleteFunc(slices.Clone(offered), func(tag string) bool { return !slices.Contains(all, tag) })
	if len(some) == 0 {
		return all
	}
	return some
}
