package proxy

import (
	"net/http"
	"strings"
)

// keepPrivate makes an answer one that no shared cache stores, whatever it said
// of itself (RFC 9111, 5.2.2; RFC 9213 for what is meant for one cache only, and
// what caches read before there was one).
func keepPrivate(h http.Header) {
	kept := []string{"private"}
	for _, line := range h.Values("Cache-Control") {
		for _, directive := range directives(line) {
			switch name, _, _ := strings.Cut(strings.ToLower(directive), "="); strings.TrimSpace(name) {
			case "", "public", "private", "s-maxage", "proxy-revalidate":
			default:
				kept = append(kept, directive)
			}
		}
	}
	for name := range h {
		switch {
		case strings.HasSuffix(name, "-Cache-Control"),
			name == "Surrogate-Control", name == "Edge-Control", name == "X-Accel-Expires":
			delete(h, name)
		}
	}
	h.Set("Cache-Control", strings.Join(kept, ", "))
}

// directives are the elements of a list, in which quoted strings may hold commas
// (RFC 9110, 5.6.1 and 5.6.4).
func directives(line string) (list []string) {
	quoted, begin := false, 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case quoted && line[i] == '\\':
			i++ // whatever follows is meant as it is
		case !quoted && line[i] == ',':
			list = append(list, strings.TrimSpace(line[begin:i]))
			begin = i + 1
		}
	}
	return append(list, strings.TrimSpace(line[begin:]))
}

// conditions ask for less than a whole answer, or for none.
var conditions = []string{"If-None-Match", "If-Modified-Since", "If-Range", "Range"}

// removeConditions is for a request whose answer gives a pass: a cache on the way
// that only asks whether what it has is still good would keep the pass beside it.
func removeConditions(h http.Header) {
	for _, name := range conditions {
		h.Del(name)
	}
}
