package cache

import (
	"net/http"
	"strings"
	"time"
)

// unchanged reports whether what a client has is what it would be sent (RFC 9110,
// 13.1.2, 13.1.3 and 13.2.2). An If-None-Match that is there decides alone. An
// answer without Last-Modified has changed when it was made (RFC 9111, 4.3.2).
func unchanged(in *Asked, form http.Header) bool {
	if lines := in.IfNoneMatch; len(lines) > 0 {
		return matches(lines, form.Get("Etag"))
	}
	lines := in.IfModifiedSince
	if len(lines) != 1 {
		return false
	}
	since, err := http.ParseTime(lines[0])
	if err != nil {
		return false
	}
	changed, err := http.ParseTime(form.Get("Last-Modified"))
	if err != nil {
		changed, err = http.ParseTime(form.Get("Date"))
	}
	return err == nil && !changed.After(since)
}

// matches compares weakly (RFC 9110, 8.8.3.2): a list, or one tag as some
// origins write them, without quotes.
func matches(lines []string, tag string) bool {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "*" || line == tag && tag != "" {
			return true
		}
		elements, _ := splitQuoted(line, ',')
		for _, element := range elements {
			if opaque(element) == opaque(tag) && tag != "" {
				return true
			}
		}
	}
	return false
}

func opaque(tag string) string { return strings.TrimPrefix(tag, "W/") }

func isStrong(tag string) bool { return strings.HasPrefix(tag, `"`) }

// sameAsBefore reports whether If-Range lets a part be sent (RFC 9110, 13.1.5): a
// strong tag or the very date.
func sameAsBefore(value string, form http.Header) bool {
	if value == "" {
		return true
	}
	if strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "W/") {
		return isStrong(value) && value == form.Get("Etag")
	}
	had, err := http.ParseTime(value)
	changed, changedErr := http.ParseTime(form.Get("Last-Modified"))
	return err == nil && changedErr == nil && had.Equal(changed) && isOlder(form, changed)
}

// isOlder reports whether a date can vouch for bytes: whatever changed within the
// second in which it was sent may have changed again (RFC 9110, 8.8.2.2).
func isOlder(form http.Header, changed time.Time) bool {
	date, err := http.ParseTime(form.Get("Date"))
	return err != nil || date.Sub(changed) >= time.Second
}
