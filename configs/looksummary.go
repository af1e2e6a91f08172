package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// look says in plain words what files say of the pages' languages, colours, logo and
// words; empty where they say nothing, and pages are waitroom's own in every language.
func look(b *Brand, languages []string) string {
	var parts []string
	say := func(when bool, format string, args ...any) {
		if when {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(len(languages) == 1, "pages in %s alone", strings.Join(languages, ""))
	say(len(languages) > 1, "pages in %s, and in %s for who reads none of them", either(languages), strings.Join(languages[:min(1, len(languages))], ""))
	if b == nil {
		return strings.Join(parts, "; ")
	}
	say(len(languages) == 0, "pages in every language that there is")
	say(b.Colour != "", "colour %s", b.Colour)
	say(b.DarkColour != "", "%s on dark devices", b.DarkColour)
	if b.Logo != nil {
		say(true, "logo %s, which says %q", b.Logo.Name, b.LogoText)
	}
	count := 0
	for _, texts := range b.Texts {
		count += len(texts)
	}
	say(count > 0, "%s of its own", plural(count, "text"))
	say(len(b.Links) > 0, "%s at the foot", plural(len(b.Links), "link"))
	say(len(b.Templates) > 0, "own %s", strings.Join(slices.Sorted(maps.Keys(b.Templates)), ", "))
	return strings.Join(parts, "; ")
}
