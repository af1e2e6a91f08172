package rehearsal

import (
	"fmt"
	"strconv"
	"strings"
)

// span is a duration in words: 0.05 s, 6.3 s, 21 min 53 s, 2 h.
func span(seconds float64) string {
	switch {
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 60:
		return strings.Replace(fmt.Sprintf("%.1f s", seconds), ".0 s", " s", 1)
	}
	whole := int(seconds + 0.5)
	h, m, s := whole/3600, whole/60%60, whole%60
	var parts []string
	for _, part := range []struct {
		n    int
		unit string
	}{{h, "h"}, {m, "min"}, {s, "s"}} {
		if part.n > 0 && len(parts) < 2 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.unit))
		}
	}
	return strings.Join(parts, " ")
}

// percent is a share to three digits, as a sale's file writes it: 24%, 0.655%.
func percent(share float64) string {
	return strconv.FormatFloat(share*100, 'g', 3, 64) + "%"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands writes a whole number with commas: 2,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
