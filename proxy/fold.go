package proxy

import (
	"net"
	"net/url"
	"path"
	"strings"
	"unicode"
)

// maxDecodes bounds how often a path is decoded: an origin behind a chain of
// proxies may decode more than once.
const maxDecodes = 3

// foldPath gives the form in which sale paths are compared: decoded, in lower
// case, with backslashes as slashes, without parameters (;…), dot segments,
// doubled or trailing slashes, without blanks around a segment and dots behind
// it, and cut where an origin may see the path's end: at a NUL, a fragment or a
// query. Origins do some of this and some of that; a path that any of them might
// take for a sale's must not pass as another.
func foldPath(escaped string) string {
	p := escaped
	for range maxDecodes {
		d, err := url.PathUnescape(p)
		if err != nil || d == p {
			break
		}
		p = d
	}
	if end := strings.IndexAny(p, "\x00?#"); end >= 0 {
		p = p[:end]
	}
	p = strings.ReplaceAll(p, `\`, "/")
	segments := strings.Split(p, "/")
	for i, s := range segments {
		segments[i] = foldSegment(s)
	}
	return foldCase(path.Clean("/" + strings.Join(segments, "/")))
}

// foldSegment strips what some file systems and frameworks do not see: a
// parameter, blanks and line ends, and dots that are not a dot segment.
func foldSegment(s string) string {
	s, _, _ = strings.Cut(s, ";")
	s = strings.TrimFunc(s, isBlank)
	if s == "." || s == ".." {
		return s
	}
	return strings.TrimRightFunc(s, func(c rune) bool { return c == '.' || isBlank(c) })
}

func isBlank(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// foldCase makes letters that any origin may take for the same the same: there
// are some, such as ſ, that only become an ASCII letter by way of the other case.
func foldCase(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// foldHost gives the form in which host names are compared: lower case, no
// port, no trailing dot, no brackets.
func foldHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}
