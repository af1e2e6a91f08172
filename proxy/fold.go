package proxy

import (
	"path"
	"strings"
	"unicode"
)

const ends = "\x00?#" // of a path, for some origins also where they were encoded

// foldPath gives the form in which sale paths are compared: decoded as often as
// anything can be, in lower case, with backslashes as slashes, without parameters
// (;…), dot segments, doubled or trailing slashes, without blanks around a segment
// and dots behind it, and cut where an origin may see the path's end: at a NUL, a
// fragment or a query. A plus is a blank, as in a query. Origins do some of this and some of that; a path that any
// of them might take for a sale's must not pass as another.
func foldPath(escaped string) string { return foldDecoded(decoded(escaped)) }

// foldedReadings are the folded forms of all that origins may make of a path, what
// foldPath gives first.
func foldedReadings(escaped string) []string {
	all := readings(escaped)
	for i, p := range all {
		all[i] = foldDecoded(p)
	}
	return all
}

func foldDecoded(p string) string {
	if end := strings.IndexAny(p, ends); end >= 0 {
		p = p[:end]
	}
	parts := split(p)
	for i, s := range parts {
		parts[i] = foldSegment(s)
	}
	return path.Clean("/" + strings.Join(parts, "/"))
}

// split parts a path at whatever may separate segments.
func split(p string) []string {
	p = strings.ReplaceAll(p, "+", " ")
	return strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '\\' })
}

// foldSegment strips what some file systems and frameworks do not see: dots at the
// end that are not a dot segment, and what bare takes away.
func foldSegment(s string) string {
	s = bare(s)
	if s == "." || s == ".." {
		return s
	}
	return foldCase(strings.TrimRightFunc(s, func(c rune) bool { return c == '.' || isBlank(c) }))
}

// bare is a segment without parameters, blanks around it, what stands behind a path's
// end, and the name of a stream (…::$DATA), which some file systems have.
func bare(s string) string {
	if end := strings.IndexAny(s, ";"+ends); end >= 0 {
		s = s[:end]
	}
	if file, _, ok := strings.Cut(s, ":$"); ok {
		s = strings.TrimRight(file, ":")
	}
	return strings.TrimFunc(s, isBlank)
}

func isBlank(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// foldCase makes letters that any origin may take for the same the same: there
// are some, such as ſ, that only become an ASCII letter by way of the other case.
func foldCase(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// climbs gives the segments, by each reading, of a path from which an origin might go a
// step back, and nil for any other. How far it then gets depends on what it takes for a
// segment, for nothing and for the path's end, so that foldPath cannot tell; but
// all that it can do is to leave segments out. Browsers send no such paths.
func climbs(escaped string) (all [][]string) {
	if !strings.Contains(escaped, "..") && !strings.Contains(escaped, "%") && isASCII(escaped) {
		return nil
	}
	for _, p := range readings(escaped) {
		if parts := climbing(p); parts != nil {
			all = append(all, parts)
		}
	}
	return all
}

func climbing(decoded string) []string {
	up, parts := false, split(decoded)
	for i, s := range parts {
		dots := bare(s)
		up = up || len(dots) > 1 && strings.Trim(dots, ".") == ""
		parts[i] = foldSegment(s)
	}
	if !up {
		return nil
	}
	return parts
}

// leadTo reports whether some of the segments, in order, are those of a folded
// path, the last one perhaps with a suffix.
func leadTo(parts []string, folded string) bool {
	if len(parts) == 0 {
		return false
	}
	wanted := strings.Split(strings.Trim(folded, "/"), "/")
	for _, p := range parts {
		if len(wanted) == 1 {
			if short, _ := withoutSuffix(p); short == wanted[0] {
				p = short
			}
		}
		if len(wanted) > 0 && p == wanted[0] {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}
