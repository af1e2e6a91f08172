package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// mostSeconds is what a longer time is taken for (RFC 9111, 1.2.2).
const mostSeconds = 1<<31 - 1

// absent is the time that a directive did not say.
const absent time.Duration = -1

// directives are what a Cache-Control field says (RFC 9111, 5.2; RFC 5861;
// 5.2.2.3 for must-understand). Times that cannot be read are 0: what was meant
// is not known, so that nothing is assumed. Of times that are said twice the
// shorter one counts.
type directives struct {
	present                           bool
	noStore, noCache, private, public bool
	mustRevalidate, proxyRevalidate   bool
	mustUnderstand                    bool
	noTransform, onlyIfCached         bool
	maxAge, sharedAge                 time.Duration
	whileRevalidate, ifError          time.Duration
	fields                            []string // that no-cache= and private= name
}

// parseDirectives reads the lines of a field. One whose quotes do not end could
// have said anything and is read as no-store.
func parseDirectives(lines []string) directives {
	d := directives{present: len(lines) > 0, maxAge: absent, sharedAge: absent, whileRevalidate: absent, ifError: absent}
	for _, line := range lines {
		elements, whole := splitQuoted(line, ',')
		for _, element := range elements {
			name, value, has := strings.Cut(element, "=")
			d.take(strings.ToLower(strings.TrimSpace(name)), value, has, name)
		}
		d.noStore = d.noStore || !whole
	}
	return d
}

// take notes one directive. raw is its name as written: a blank before the "=" is
// no part of the grammar, and the value behind it none that can be read.
func (d *directives) take(name, value string, has bool, raw string) {
	seconds := func(so *time.Duration) {
		t := parseSeconds(value)
		if !has || strings.HasSuffix(raw, " ") {
			t = 0
		}
		if *so == absent || t < *so {
			*so = t
		}
	}
	switch name {
	case "no-store":
		d.noStore = true
	case "no-cache":
		d.noCache = d.restrict(value, has) || d.noCache
	case "private":
		d.private = d.restrict(value, has) || d.private
	case "public":
		d.public = true
	case "must-revalidate":
		d.mustRevalidate = true
	case "proxy-revalidate":
		d.proxyRevalidate = true
	case "must-understand":
		d.mustUnderstand = true
	case "no-transform":
		d.noTransform = true
	case "only-if-cached":
		d.onlyIfCached = true
	case "max-age":
		seconds(&d.maxAge)
	case "s-maxage":
		seconds(&d.sharedAge)
	case "stale-while-revalidate":
		seconds(&d.whileRevalidate)
	case "stale-if-error":
		seconds(&d.ifError)
	}
}

// restrict takes the fields that a directive is about, and reports whether it is
// about the whole answer: also when what it names cannot be read.
func (d *directives) restrict(value string, has bool) (whole bool) {
	list, quoted := unquote(value)
	if !has || !quoted {
		return true
	}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			d.fields = append(d.fields, http.CanonicalHeaderKey(name))
		}
	}
	return len(d.fields) == 0
}

// parseSeconds reads digits, also quoted (RFC 9111, 5.2). Anything else is 0.
func parseSeconds(value string) time.Duration {
	if inner, quoted := unquote(value); quoted {
		value = inner
	}
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n > mostSeconds {
		n = mostSeconds
	}
	return time.Duration(n) * time.Second
}

// unquote reads a quoted string (RFC 9110, 5.6.4).
func unquote(s string) (inner string, quoted bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s, false
	}
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// splitQuoted cuts a list at a separator outside of quotes (RFC 9110, 5.6.1 and
// 5.6.4), leaves out what is empty, and reports whether every quote ends.
func splitQuoted(line string, separator byte) (list []string, whole bool) {
	quoted, begin := false, 0
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line), !quoted && line[i] == separator:
			if element := strings.TrimSpace(line[begin:i]); element != "" {
				list = append(list, element)
			}
			begin = i + 1
		case line[i] == '"':
			quoted = !quoted
		case quoted && line[i] == '\\':
			i++
			if i == len(line) {
				return append(list, strings.TrimSpace(line[begin:])), false
			}
		}
	}
	return list, !quoted
}
