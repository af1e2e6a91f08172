package static

import (
	"fmt"
	"math"
	"strconv"
)

// colour is one of sRGB.
type colour struct{ r, g, b uint8 }

// parseColour reads #rrggbb or #rgb.
func parseColour(text string) (c colour, ok bool) {
	if len(text) == 4 {
		text = string([]byte{'#', text[1], text[1], text[2], text[2], text[3], text[3]})
	}
	if len(text) != 7 || text[0] != '#' {
		return c, false
	}
	n, err := strconv.ParseUint(text[1:], 16, 32)
	if err != nil {
		return c, false
	}
	return colour{uint8(n >> 16), uint8(n >> 8), uint8(n)}, true //nolint:gosec // 24 bits
}

func (c colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// luminance is the relative one of WCAG 2.2.
func (c colour) luminance() float64 {
	r, g, b := c.linear()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// contrast is the ratio of WCAG 2.2 between two colours, from 1 to 21.
func contrast(a, b colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func (c colour) linear() (r, g, b float64) {
	return toLinear(c.r), toLinear(c.g), toLinear(c.b)
}

func toLinear(part uint8) float64 {
	x := float64(part) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func fromLinear(x float64) float64 {
	if x <= 0.0031308 {
		return 12.92 * x
	}
	return 1.055*math.Pow(x, 1/2.4) - 0.055
}

// oklch is a colour by how people see it: its lightness from 0 to 1, how much of a
// colour it is from 0 on, and its hue in radians. Of two with the same hue, one looks
// like the other in another light (B. Ottosson, OKLab; CSS Color 4).
type oklch struct{ l, c, h float64 }

func (c colour) oklch() oklch {
	r, g, b := c.linear()
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	x := 1.9779984951*l - 2.4285922050*m + 0.4505937099*s
	y := 0.0259040371*l + 0.7827717662*m - 0.8086757660*s
	return oklch{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, math.Hypot(x, y), math.Atan2(y, x)}
}

// colour is the nearest one of sRGB: what a screen cannot show is paler, not of
// another hue or lightness.
func (o oklch) colour() colour {
	if c, ok := o.shown(); ok {
		return c
	}
	low, high := 0.0, o.c
	for range 24 {
		mid := (low + high) / 2
		if _, ok := (oklch{o.l, mid, o.h}).shown(); ok {
			low = mid
		} else {
			high = mid
		}
	}
	c, _ := oklch{o.l, low, o.h}.shown()
	return c
}

// shown is the colour on a screen; ok is false if it is one that no screen shows.
func (o oklch) shown() (c colour, ok bool) {
	x, y := o.c*math.Cos(o.h), o.c*math.Sin(o.h)
	l := cube(o.l + 0.3963377774*x + 0.2158037573*y)
	m := cube(o.l - 0.1055613458*x - 0.0638541728*y)
	s := cube(o.l - 0.0894841775*x - 1.2914855480*y)
	ok = true
	part := func(x float64) uint8 {
		x = fromLinear(x)
		if x < -0.001 || x > 1.001 {
			ok = false
		}
		return uint8(math.Round(255 * max(0, min(1, x))))
	}
	return colour{
		part(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		part(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		part(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}, ok
}

func cube(x float64) float64 { return x * x * x }

// against is the colour nearest to c that has so much contrast to a ground: darker on
// a light one, lighter on a dark one. Black or white is the end of it.
func (c colour) against(ground colour, want float64) colour {
	if contrast(c, ground) >= want {
		return c
	}
	o := c.oklch()
	enough, short := 0.0, o.l
	if ground.luminance() < 0.18 {
		enough = 1
	}
	for range 24 {
		mid := (enough + short) / 2
		if contrast((oklch{mid, o.c, o.h}).colour(), ground) >= want {
			enough = mid
		} else {
			short = mid
		}
	}
	return oklch{enough, o.c, o.h}.colour()
}
