package static

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
)

// samples are numbers in which every category of a language comes up.
func samples() []uint64 {
	all := []uint64{1000, 9999, 10_000, 999_999, 1_000_000, 1_000_001, 1_032_771, 2_000_000, 1<<64 - 1}
	for n := range uint64(250) {
		all = append(all, n)
	}
	return all
}

// Every language says all that English says, with the same holes, and has for each count
// just the forms that its whole numbers ask for.
func TestCatalogs(t *testing.T) {
	t.Parallel()
	for _, tag := range Languages() {
		c := speaking(tag)
		forms := map[string]bool{}
		for _, n := range samples() {
			forms[c.category(n)] = true
		}
		want := map[string]string{} // name, and the name of the English text with its holes
		for name := range english.texts {
			base, form := cutForm(name)
			if form == "" {
				want[name] = name
				continue
			}
			for form := range forms {
				want[base+"."+form] = base + ".other"
			}
		}
		for name, text := range c.texts {
			of, ok := want[name]
			if !ok {
				t.Errorf("%s: %s is no text of a page, or no form of the language", tag, name)
				continue
			}
			if got, wanted := holesIn(text), holesIn(english.texts[of]); got != wanted {
				t.Errorf("%s: %s has the holes %q, want %q: %s", tag, name, got, wanted, text)
			}
			if strings.TrimSpace(text) != text || text == "" && english.texts[of] != "" {
				t.Errorf("%s: %s is %q", tag, name, text)
			}
			if strings.ContainsAny(text, "<>&\u2068\u2069\u200e\u200f") {
				t.Errorf("%s: %s has markup, or directions of its own: %q", tag, name, text)
			}
		}
		for name := range want {
			if _, ok := c.texts[name]; !ok {
				t.Errorf("%s: there is no %s", tag, name)
			}
		}
		if got, want := c.texts["dir"], map[bool]string{true: "rtl", false: "ltr"}[tag == "ar"]; got != want {
			t.Errorf("%s: goes %q, want %q", tag, got, want)
		}
	}
}

var anyHole = regexp.MustCompile(`\{[^}]*\}`)

func holesIn(text string) string {
	found := anyHole.FindAllString(text, -1)
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " ")
}

// The categories are those of the library, but for what it does not know yet.
func TestCategoriesAreThoseOfCLDR(t *testing.T) {
	t.Parallel()
	for _, tag := range Languages() {
		c := speaking(tag)
		for n := uint64(0); n < 1_000_000; n += 1 + n/97 {
			if got, want := c.category(n), categories[plural.Cardinal.MatchPlural(c.tag, int(n), 0, 0, 0, 0)]; got != want {
				t.Errorf("%s: %d is %s, want %s", tag, n, got, want)
			}
		}
	}
}
