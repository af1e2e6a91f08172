package static

import (
	"fmt"
	"regexp"
	"strings"
)

// What WCAG 2.2 asks for: 1.4.3 of text, 1.4.11 of what is no text. As the one colour
// is that of both, the first decides.
const enough = 4.5

// shade is what a brand's colour becomes where the reader's device is light, or dark.
type shade struct{ hue, wash, on colour }

// scheme is a shade's surroundings, as the style has them, and what tells tones apart.
type scheme struct {
	sheet, ink        colour
	calm, glad, sorry shade
}

// light and dark are those of our style, which says them first and second.
var light, dark = readSchemes(string(read("web/page.css")))

var (
	ruleForm     = regexp.MustCompile(`(:root|\.glad|\.sorry) \{([^}]*)\}`)
	variableForm = regexp.MustCompile(`--(\w+): (#\w+);`)
)

func readSchemes(source string) (light, dark scheme) {
	rules := ruleForm.FindAllStringSubmatch(source, 6)
	read := func(i int) map[string]colour {
		found := map[string]colour{}
		for _, v := range variableForm.FindAllStringSubmatch(rules[i][2], -1) {
			found[v[1]], _ = parseColour(v[2])
		}
		return found
	}
	all := func(i int) scheme {
		root, glad, sorry := read(i), read(i+1), read(i+2)
		of := func(tone map[string]colour) shade { return shade{tone["hue"], tone["wash"], root["on"]} }
		return scheme{root["sheet"], root["ink"], of(root), of(glad), of(sorry)}
	}
	return all(0), all(3)
}

// shade makes what a colour needs beside it: a wash of it on which it can be read, and
// what is written on it.
func (s scheme) shade(hue colour) shade {
	o, sheet := hue.oklch(), s.sheet.oklch()
	wash := oklch{0.945, min(o.c/4, 0.02), o.h}
	if sheet.l < 0.5 {
		wash = oklch{0.28, min(o.c/3, 0.035), o.h}
	}
	const steps = 20
	paler := (sheet.l - wash.l) / steps
	for i := 0; i < steps && contrast(hue, wash.colour()) < enough; i++ {
		wash.l += paler
		wash.c *= 0.9
	}
	made := shade{hue: hue, wash: wash.colour(), on: colour{255, 255, 255}}
	if contrast(made.wash, hue) < enough {
		made.wash = s.sheet
	}
	if deep := (colour{14, 18, 22}); contrast(deep, hue) > contrast(made.on, hue) {
		made.on = deep
	}
	return made
}

// judge says whether a colour can be read on the sheet.
func (s scheme) judge(key string, c colour, where string) (faults Faults) {
	if got := contrast(c, s.sheet); got < enough {
		faults.add(key, fmt.Sprintf("%s has %.1f:1 on the %s page, 4.5:1 is needed to read it", c, floor(got), where),
			fmt.Sprintf("the nearest that would do is %q", c.against(s.sheet, enough)))
	}
	return faults
}

// floor is a ratio that is not told as more than it is.
func floor(ratio float64) float64 { return float64(int(ratio*10)) / 10 }

// readable is how much a colour that we choose for a dark page stands out there.
const readable = 7

// shades are a brand's colours, light and dark; none where it has none.
func (l Look) shades() (pair []shade, faults Faults) {
	if l.Colour == "" {
		if l.DarkColour != "" {
			faults.add("brand.dark_colour", "without brand.colour", "write the colour for light pages, too")
		}
		return nil, faults
	}
	hue, _ := parseColour(l.Colour)
	faults = light.judge("brand.colour", hue, "light")
	night := hue.against(dark.sheet, readable)
	if l.DarkColour != "" {
		night, _ = parseColour(l.DarkColour)
		faults = append(faults, dark.judge("brand.dark_colour", night, "dark")...)
	}
	return []shade{light.shade(hue), dark.shade(night)}, faults
}

// paint is the style that puts a brand's colours in the place of ours: on every page,
// for its tone is told by icon and words. The icon keeps its tone's own colour.
func paint(pair []shade) string {
	if pair == nil {
		return ""
	}
	rules := func(s scheme, own shade) string {
		return ":root,.glad,.sorry{" + own.css() + "}\n.glad .icon{" + s.glad.css() + "}\n.sorry .icon{" + s.sorry.css() + "}\n"
	}
	var out strings.Builder
	out.WriteString(rules(light, pair[0]))
	out.WriteString("@media (prefers-color-scheme:dark){\n" + rules(dark, pair[1]) + "}\n")
	return out.String()
}

// tab is the shade's colour as the icon of a tab has it: it stands in an address, in
// which # has a meaning.
func (s shade) tab() string { return strings.TrimPrefix(s.hue.String(), "#") }

func (s shade) css() string {
	return fmt.Sprintf("--hue:%s;--wash:%s;--on:%s", s.hue, s.wash, s.on)
}
