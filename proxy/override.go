package proxy

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Many origins let a request say that another method is meant than the one in
// its first line. On the path of a sale's buy that would be a way around the
// line, and so it would be in a room for what is let past the line because it
// shows nothing. There nothing that says so is passed on.

// methodFields say so in the header.
var methodFields = map[string]bool{"x-http-method-override": true, "x-http-method": true, "x-method-override": true}

// foldField is a field's name as an origin may read it: some make one character of
// all that is neither letter nor digit (RFC 3875, 4.1.18).
func foldField(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c | 0x20
		default:
			return '-'
		}
	}, name)
}

func removeMethodFields(h http.Header) {
	for name := range h {
		if methodFields[foldField(name)] {
			delete(h, name)
		}
	}
}

// isMethodParam reports whether a parameter says so, under any spelling that an
// origin may take for _method.
func isMethodParam(name string) bool {
	name = strings.NewReplacer(".", "_", " ", "_", "[", "_").Replace(strings.TrimLeft(name, " "))
	return strings.HasPrefix(strings.ToLower(name), "_method")
}

// hasMethodParam looks for such a parameter in a query that may be malformed.
func hasMethodParam(query string) bool {
	for pair := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if isMethodParam(name) {
			return true
		}
	}
	return false
}

// checkMethodFields refuses a buy that says it is none.
func checkMethodFields(h http.Header) error {
	for name, values := range h {
		for _, v := range values {
			if methodFields[foldField(name)] && !writes(strings.TrimSpace(v)) {
				return fmt.Errorf("%s: not a method that buys", name)
			}
		}
	}
	return nil
}
