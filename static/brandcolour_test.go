package static

import (
	"math"
	"strings"
	"testing"
)

func rgb(t *testing.T, text string) colour {
	t.Helper()
	c, ok := parseColour(text)
	if !ok {
		t.Fatalf("%q is no colour", text)
	}
	return c
}

// The ratios are those of WCAG's own calculator.
func TestContrastRatio(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"#000", "#fff", 21}, {"#ffffff", "#ffffff", 1}, {"#777777", "#ffffff", 4.48}, {"#767676", "#ffffff", 4.54},
		{"#ff0000", "#ffffff", 4.00}, {"#0000ff", "#ffffff", 8.59}, {"#d4a017", "#ffffff", 2.38},
	} {
		if got := contrast(rgb(t, test.a), rgb(t, test.b)); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%s on %s: got %.3f, want %.2f", test.a, test.b, got, test.want)
		}
	}
}

// Every colour of a screen comes back from OKLCH as it was.
func TestOKLCHThereAndBack(t *testing.T) {
	t.Parallel()
	for n := 0; n < 1<<24; n += 4099 {
		c := colour{uint8(n >> 16), uint8(n >> 8), uint8(n)} //nolint:gosec // 24 bits
		if got := c.oklch().colour(); got != c {
			t.Fatalf("%s came back as %s", c, got)
		}
	}
}

// Whatever a colour is, the nearest that would do does, and one that does is accepted
// with all that is made of it: read on the sheet and on its own wash, and written on.
func TestShades(t *testing.T) {
	t.Parallel()
	for n := 0; n < 1<<24; n += 8191 {
		c := colour{uint8(n >> 16), uint8(n >> 8), uint8(n)} //nolint:gosec // 24 bits
		for name, s := range map[string]scheme{"light": light, "dark": dark} {
			near := c.against(s.sheet, enough)
			if contrast(c, s.sheet) >= enough && near != c {
				t.Fatalf("%s, %s: would do, and %s is named", name, c, near)
			}
			made := s.shade(near)
			for what, got := range map[string]float64{
				"on the sheet": contrast(near, s.sheet), "on its wash": contrast(near, made.wash),
				"written on": contrast(made.on, near), "ink on its wash": contrast(s.ink, made.wash),
			} {
				if got < enough {
					t.Fatalf("%s, %s from %s, %s: %.3f", name, near, c, what, got)
				}
			}
		}
	}
}

func TestNewBrandColours(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		look Look
		want []string // of the faults, in order; none: there is none
	}{
		"good":            {Look{Colour: "#8a6508"}, nil},
		"both":            {Look{Colour: "#8a6508", DarkColour: "#e2b13c"}, nil},
		"too light":       {Look{Colour: "#d4a017"}, []string{`brand.colour: #d4a017 has 2.3:1 on the light page, 4.5:1 is needed to read it, the nearest that would do is "#`}},
		"too dark":        {Look{Colour: "#8a6508", DarkColour: "#5a3a00"}, []string{`brand.dark_colour: #5a3a00 has 1.6:1 on the dark page`}},
		"white":           {Look{Colour: "#ffffff"}, []string{`brand.colour: #ffffff has 1.0:1`}},
		"dark alone":      {Look{DarkColour: "#e2b13c"}, []string{"brand.dark_colour: without brand.colour"}},
		"both of no good": {Look{Colour: "#ffff00", DarkColour: "#000000"}, []string{"brand.colour: #ffff00", "brand.dark_colour: #000000"}},
	} {
		_, faults := NewBrand(test.look)
		if len(faults) != len(test.want) {
			t.Errorf("%s: got %v, want %q", name, faults, test.want)
			continue
		}
		for i, want := range test.want {
			if got := faults[i : i+1].Error(); !strings.HasPrefix(got, want) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

// The tab and the icon keep telling what has become of the shopper; all else is the
// brand's.
func TestBrandStyle(t *testing.T) {
	t.Parallel()
	b, err := NewBrand(Look{Colour: "#0057b8"})
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[Page][]string{
		Waiting: {"fill='%230057b8'", ":root,.glad,.sorry{--hue:#0057b8;", "@media (prefers-color-scheme:dark){\n:root,.glad,.sorry{--hue:"},
		Turn:    {"fill='%231a6e46'", ".glad .icon{--hue:#1a6e46;"},
		SoldOut: {"fill='%2386532f'", `data-colour="0057b8"`},
	} {
		got, err := Render(page, View{Sale: "toy", Brand: b})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range want {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s lacks %q", page, want)
			}
		}
	}
}
