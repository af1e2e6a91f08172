package cache

import (
	"net/http"
	"slices"
	"strings"
)

// selector is a field of a request by which an answer was chosen, as it was then.
type selector struct{ name, value string }

// varyNames are the fields that Vary names, in their canonical form; all reports
// whether it says that there is no telling (RFC 9111, 4.1).
func varyNames(h http.Header) (names []string, all bool) {
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			switch name = strings.TrimSpace(name); name {
			case "":
			case "*":
				return nil, true
			default:
				if name = http.CanonicalHeaderKey(name); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names, false
}

// selectorsOf are the values that a request has for fields.
func selectorsOf(h http.Header, names []string) []selector {
	list := make([]selector, len(names))
	for i, name := range names {
		list[i] = selector{name, normal(name, h[name])}
	}
	return list
}

// selects reports whether a request has the very values that an answer was chosen
// by.
func selects(h http.Header, list []selector) bool {
	for _, s := range list {
		if normal(s.name, h[s.name]) != s.value {
			return false
		}
	}
	return true
}

// normal is the value of a field so that values which mean the same are the same:
// lines are joined, and blanks around commas do not count. In fields about
// languages and codings neither case nor the order of equal weights does. That the
// field is absent is a value of its own.
func normal(name string, lines []string) string {
	if len(lines) == 0 {
		return "\x00"
	}
	var list []string
	for _, line := range lines {
		elements, _ := splitQuoted(line, ',')
		list = append(list, elements...)
	}
	if name == "Accept-Language" || name == "Accept-Encoding" {
		for i, element := range list {
			list[i] = strings.ReplaceAll(strings.ToLower(element), " ", "")
		}
		slices.Sort(list)
	}
	return strings.Join(list, ",")
}
