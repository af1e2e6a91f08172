package cache

import (
	"strconv"
	"strings"
)

// codings are those that a body is packed with, in the order in which they are
// preferred among equals.
var codings = []string{"br", "zstd", "gzip"}

// weights are what Accept-Encoding grants, in thousandths (RFC 9110, 12.5.3): one
// for each of the codings, and one for none.
type weights struct {
	coded [3]int
	plain int
}

// parseAccept reads the lines of Accept-Encoding. What cannot be read is not
// granted; a request without the field gets nothing packed.
func parseAccept(lines []string) weights {
	const unsaid = -1
	w := weights{coded: [3]int{unsaid, unsaid, unsaid}, plain: unsaid}
	rest := unsaid
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(element, ";")
			q := parseWeight(params)
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "br"):
				w.coded[0] = q
			case strings.EqualFold(name, "zstd"):
				w.coded[1] = q
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				w.coded[2] = q
			case strings.EqualFold(name, "identity"):
				w.plain = q
			case name == "*":
				rest = q
			}
		}
	}
	for i := range w.coded {
		if w.coded[i] == unsaid {
			w.coded[i] = max(0, rest)
		}
	}
	if w.plain == unsaid {
		w.plain = max(0, rest)
		if rest == unsaid {
			w.plain = 1 // always good, before nothing else
		}
	}
	return w
}

// parseWeight reads ";q=0.5"; without it the weight is whole, and what is no
// weight is none.
func parseWeight(params string) int {
	params = strings.TrimSpace(params)
	if params == "" {
		return 1000
	}
	name, value, _ := strings.Cut(params, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 0
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return int(q * 1000)
}

// TakesGzip reports whether the lines of Accept-Encoding grant gzip, and like it no less
// than nothing packed.
func TakesGzip(lines []string) bool {
	return parseAccept(lines).choose(func(coding string) bool { return coding == "gzip" }) == "gzip"
}

// choose is the coding of those there are that is liked best; "" is none.
func (w weights) choose(has func(coding string) bool) string {
	best, at := w.plain, ""
	for i := len(codings) - 1; i >= 0; i-- {
		if w.coded[i] > 0 && w.coded[i] >= best && has(codings[i]) {
			best, at = w.coded[i], codings[i]
		}
	}
	return at
}
