package static

import (
	"slices"
	"strings"
	"unicode"
)

// What stands in a hole may be written in the other direction than the text around it: a
// Latin name in an Arabic sentence. It is set apart with characters that nobody sees
// (UAX #9, isolates), so that it takes nothing beside it along. The script does the same.
const (
	apart = "\u2068" // first strong isolate
	again = "\u2069" // pop directional isolate
)

// isolate sets a value apart where it matters: in a text from right to left each, in one
// from left to right what is from right to left.
func (c catalog) isolate(value string) string {
	if value != "" && (c.texts["dir"] == "rtl" || strings.ContainsFunc(value, isRightToLeft)) {
		return apart + value + again
	}
	return value
}

var rightToLeft = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0590, 0x08ff, 1}, {0xfb1d, 0xfdff, 1}, {0xfe70, 0xfeff, 1},
}}

func isRightToLeft(r rune) bool { return unicode.Is(rightToLeft, r) }

// fill fills the holes of a text from pairs of name and value, each of them set apart.
func (c catalog) fill(text string, pairs ...string) string {
	if len(pairs) == 0 {
		return text
	}
	values := slices.Clone(pairs)
	for i := 1; i < len(values); i += 2 {
		values[i] = c.isolate(values[i])
	}
	return holes(values...).Replace(text)
}

// holes fills holes, from pairs of name and value.
func holes(pairs ...string) *strings.Replacer {
	braced := slices.Clone(pairs)
	for i := 0; i < len(braced); i += 2 {
		braced[i] = "{" + braced[i] + "}"
	}
	return strings.NewReplacer(braced...)
}
