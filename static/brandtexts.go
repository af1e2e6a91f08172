package static

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// saleTitle names, among a brand's texts, what a sale is called in a language.
const saleTitle = "title"

// mostSteps is how many steps a page may have.
const mostSteps = 6

// Texts gives the texts of a language that a brand can replace, by name; none if there
// is no such language.
func Texts(lang string) map[string]string {
	if !slices.Contains(Languages(), lang) {
		return nil
	}
	texts := maps.Clone(speaking(lang).texts)
	maps.DeleteFunc(texts, func(name, _ string) bool { return fixed(name) })
	return texts
}

// fixed reports whether a text is no shop's to choose: the script, or how a language
// is written, depends on it.
func fixed(name string) bool {
	return name == "dir" || name == "live.proof.command" || strings.HasPrefix(name, "clock") || strings.HasPrefix(name, "live.clock") || ofExtra(name)
}

// texts are those of a look, found to be ones that the pages have, and can hold.
func (l Look) texts() (faults Faults) {
	for _, lang := range slices.Sorted(maps.Keys(l.Texts)) {
		key := "brand.texts."
		spoken := l.spoken()
		if lang != "" {
			key += lang + "."
			spoken = []string{lang}
			if !slices.Contains(Languages(), lang) {
				faults.add("brand.texts."+lang, "pages are not in "+lang, "they are in "+strings.Join(Languages(), ", "))
				continue
			}
		}
		for _, name := range slices.Sorted(maps.Keys(l.Texts[lang])) {
			if wrong := judgeText(name, l.Texts[lang][name], spoken); wrong != nil {
				faults.add(key+name, wrong.what, wrong.right)
			}
		}
	}
	return faults
}

// spoken are the languages that pages are in.
func (l Look) spoken() []string { return known(l.Languages) }

// judgeText says what is wrong with a text in some languages, if anything.
func judgeText(name, text string, spoken []string) *complaint {
	if wrong := judgeName(name, spoken); wrong != nil {
		return wrong
	}
	most := longest(name)
	switch n := utf8.RuneCountInString(text); {
	case n > most:
		return &complaint{fmt.Sprintf("has %d characters", n), fmt.Sprintf("at most %d have room here", most)}
	case markupForm.MatchString(text):
		return &complaint{fmt.Sprintf("shows %q as it is typed: it is text, not HTML", markupForm.FindString(text)), "leave the markup out"}
	}
	return judgeHoles(name, text)
}

var (
	markupForm = regexp.MustCompile(`</?[A-Za-z!][^<]*>?|&[A-Za-z]+;|&#[0-9]+;`)
	bracedForm = regexp.MustCompile(`\{(\w*)\}`)
	stepForm   = regexp.MustCompile(`^(\w+)\.(?:room\.)?step\.([1-9])$`)
)

// longest is how many characters a text may have, by what it is for.
func longest(name string) int {
	switch {
	case strings.HasPrefix(name, "action."):
		return 40
	case name == saleTitle, strings.HasSuffix(name, ".title"), strings.HasSuffix(name, ".heading"), strings.HasPrefix(name, "fact."), strings.HasPrefix(name, "figure."):
		return 120
	default:
		return 600
	}
}

// judgeName says whether pages in these languages have such a text.
func judgeName(name string, spoken []string) *complaint {
	if name == saleTitle {
		return nil
	}
	if fixed(name) {
		return &complaint{"cannot be replaced: it is in what all pages share", "leave it out"}
	}
	if optional(name) {
		return nil
	}
	base, form := cutForm(name)
	if form != "" && len(spoken) > 1 {
		return &complaint{"depends on how each language counts", fmt.Sprintf("write it under the language: %s: {%s: \"…\"}", spoken[0], name)}
	}
	texts := speaking(spoken[0]).texts
	if _, ok := texts[name]; ok {
		return nil
	}
	if form != "" {
		var forms []string
		for other := range texts {
			if b, f := cutForm(other); b == base {
				forms = append(forms, base+"."+f)
			}
		}
		slices.Sort(forms)
		return &complaint{"is not how " + spoken[0] + " counts", "it has " + strings.Join(forms, ", ")}
	}
	var counted []string
	for other := range texts {
		if b, f := cutForm(other); f != "" && b == name {
			counted = append(counted, other)
		}
	}
	if counted != nil {
		slices.Sort(counted)
		return &complaint{"depends on how each language counts", fmt.Sprintf("write %s under a language, as %s: {%s: \"…\"}", strings.Join(counted, " and "), spoken[0], counted[0])}
	}
	near, best := "", 6
	for _, other := range append(slices.Sorted(maps.Keys(texts)), saleTitle) {
		if d := distance(name, other); d < best && !fixed(other) {
			near, best = other, d
		}
	}
	if near != "" {
		return &complaint{"is the name of no text", fmt.Sprintf("did you mean %s?", near)}
	}
	return &complaint{"is the name of no text", "`waitroom texts` lists all there are"}
}

// optional reports whether a page looks for a text that none of ours has.
func optional(name string) bool {
	if found := stepForm.FindStringSubmatch(name); found != nil {
		_, page := traits[Page(found[1])]
		return page && found[2][0]-'0' <= mostSteps
	}
	page, part, _ := strings.Cut(name, ".")
	_, ok := traits[Page(page)]
	return ok && (part == "title" || part == "next")
}

// cutForm takes the plural form off a name; form is empty where it has none.
func cutForm(name string) (base, form string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, ""
	}
	for _, f := range categories {
		if _, counts := english.texts[name[:i]+".other"]; f == name[i+1:] && counts {
			return name[:i], f
		}
	}
	return name, ""
}

// judgeHoles says whether a text has the holes that are filled, and those without which
// it would say nothing.
func judgeHoles(name, text string) *complaint {
	base, form := cutForm(name)
	own := english.texts[name]
	if form != "" {
		own = english.texts[base+".other"]
	}
	may := bracesIn(own)
	for _, end := range []string{".title", ".lead"} {
		if strings.HasSuffix(name, end) && !strings.HasPrefix(name, "live.") {
			may = append(may, "sale")
		}
	}
	if stepForm.MatchString(name) {
		may = append(may, "sale")
	}
	for _, hole := range bracesIn(text) {
		if !slices.Contains(may, hole) {
			return &complaint{fmt.Sprintf("nothing is known for {%s} here", hole), offer(may)}
		}
	}
	if strings.ContainsAny(bracedForm.ReplaceAllString(text, ""), "{}") {
		return &complaint{"has a brace that is no hole", offer(may)}
	}
	if !strings.HasPrefix(name, "live.") || name == "live.title" || form != "" && form != "other" {
		return nil
	}
	for _, hole := range bracesIn(own) {
		if !slices.Contains(bracesIn(text), hole) {
			return &complaint{fmt.Sprintf("lacks {%s}, without which it says nothing", hole), fmt.Sprintf("waitroom's own is %q", own)}
		}
	}
	return nil
}

func offer(holes []string) string {
	if len(holes) == 0 {
		return "leave the braces out"
	}
	slices.Sort(holes)
	return "what can stand here is {" + strings.Join(slices.Compact(holes), "}, {") + "}"
}

func bracesIn(text string) (names []string) {
	for _, found := range bracedForm.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

// over puts the texts of a look over those of a language: those for this one before
// those for all.
func (l Look) over(c catalog) catalog {
	if len(l.Texts) == 0 {
		return c
	}
	c.texts = maps.Clone(c.texts)
	maps.Copy(c.texts, l.Texts[""])
	maps.Copy(c.texts, l.Texts[c.Tag])
	c.live = c.attribute("live")
	return c
}

// distance is how many characters two names differ by.
func distance(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := []int{i + 1}
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row = append(row, min(last[j]+cost, last[j+1]+1, row[j]+1))
		}
		last = row
	}
	return last[len(b)]
}
