package static

import (
	"strings"
	"testing"
)

// Text on its ground has the contrast that WCAG 2.2 asks for (1.4.3, AA), in
// each tone, light and dark.
func TestContrast(t *testing.T) {
	t.Parallel()
	light, dark, found := strings.Cut(string(read("web/page.css")), "prefers-color-scheme: dark")
	if !found {
		t.Fatal("the style has no dark scheme")
	}
	pairs := [][2]string{{"ink", "sheet"}, {"soft", "sheet"}, {"hue", "sheet"}, {"hue", "wash"}, {"ink", "wash"}, {"on", "hue"}}
	for scheme, source := range map[string]string{"light": light, "dark": dark} {
		for _, tone := range []string{"calm", "glad", "sorry"} {
			colours := colours(source, tone)
			for _, pair := range pairs {
				if got := contrast(colours[pair[0]], colours[pair[1]]); got < enough {
					t.Errorf("%s, %s: %s on %s is %.2f, want 4.5", scheme, tone, pair[0], pair[1], got)
				}
			}
		}
	}
}

// colours gives the variables of a scheme, with those of a tone over them.
func colours(source, tone string) map[string]colour {
	found := make(map[string]colour)
	for _, selector := range []string{":root {", "." + tone + " {"} {
		_, rule, _ := strings.Cut(source, selector)
		rule, _, _ = strings.Cut(rule, "}")
		for _, match := range variableForm.FindAllStringSubmatch(rule, -1) {
			found[match[1]], _ = parseColour(match[2])
		}
	}
	return found
}
