package main

import (
	"fmt"
	"math"
	"strings"
)

// The plot, in points.
const (
	width, height = 640, 340
	left, bottom  = 60, 290
	right, top    = 500, 30
)

// plot draws how the share of the line that was told grows with the time after the
// opening, which is on a scale of powers of ten.
func plot(all []result) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`, width, height)
	say(`<title>Share of the line that has been told, by the time after the opening, in sales that sold out</title>`)
	say(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
	x := func(seconds float64) float64 {
		return left + (right-left)*math.Log10(max(seconds, 1)*2)/math.Log10(2*5000)*boolean(seconds > 0)
	}
	y := func(share float64) float64 { return bottom - (bottom-top)*share }
	for _, share := range []float64{0, 0.2, 0.4, 0.6, 0.8, 1} {
		say(`<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.0f %%</text>`, left, y(share), right, left-8, y(share)+4, 100*share)
	}
	for _, at := range []struct {
		seconds float64
		name    string
	}{{0, "0"}, {1, "1 s"}, {10, "10 s"}, {100, "100 s"}, {1000, "1000 s"}} {
		say(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(at.seconds), bottom+18, at.name)
	}
	say(`<text x="%d" y="%d" text-anchor="middle">after the opening</text>`, (left+right)/2, bottom+38)
	say(`<text x="%d" y="%d">told “very likely gone before your turn”, of all in line</text>`, left, top-12)
	for i, r := range all {
		points := make([]string, len(moments))
		for j, at := range moments {
			points[j] = fmt.Sprintf("%.1f,%.1f", x(at), y(r.byTime[j]))
		}
		color := []string{"#0072b2", "#d55e00", "#009e73"}[i%3]
		say(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, strings.Join(points, " "), color)
		say(`<path d="M%d %dh20" stroke="%s" stroke-width="2"/><text x="%d" y="%d">certainty %v</text>`,
			right+10, top+20*i+10, color, right+36, top+20*i+14, r.certainty)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func boolean(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
