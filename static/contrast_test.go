package static

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Text on its ground has the contrast that WCAG 2.2 asks for (1.4.3, AA), in
// each tone, light and dark.
func TestContrast(t *testing.T) {
	t.Parallel()
	light, dark, found := strings.Cut(style, "prefers-color-scheme: dark")
	if !found {
		t.Fatal("the style has no dark scheme")
	}
	pairs := [][2]string{{"ink", "sheet"}, {"soft", "sheet"}, {"hue", "sheet"}, {"hue", "wash"}, {"ink", "wash"}, {"on", "hue"}}
	for scheme, source := range map[string]string{"light": light, "dark": dark} {
		for _, tone := range []string{"calm", "glad", "sorry"} {
			colours := colours(source, tone)
			for _, pair := range pairs {
				if got := contrast(t, colours[pair[0]], colours[pair[1]]); got < 4.5 {
					t.Errorf("%s, %s: %s on %s is %.2f, want 4.5", scheme, tone, pair[0], pair[1], got)
				}
			}
		}
	}
}

var variable = regexp.MustCompile(`--(\w+): #(\w+);`)

// colours gives the variables of a scheme, with those of a tone over them.
func colours(source, tone string) map[string]string {
	found := make(map[string]string)
	for _, selector := range []string{":root {", "." + tone + " {"} {
		_, rule, _ := strings.Cut(source, selector)
		rule, _, _ = strings.Cut(rule, "}")
		for _, match := range variable.FindAllStringSubmatch(rule, -1) {
			found[match[1]] = match[2]
		}
	}
	return found
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance of a colour, as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	rgb, err := strconv.ParseUint(hex, 16, 24)
	if err != nil {
		t.Fatalf("colour %q: %v", hex, err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(rgb>>(8*i)&255) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
