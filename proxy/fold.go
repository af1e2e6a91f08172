package proxy

import (
	"net"
	"net/url"
	"path"
	"strings"
)

// maxDecodes bounds how often a path is decoded: an origin behind a chain of
// proxies may decode more than once.
const maxDecodes = 3

// foldPath gives the form in which sale paths are compared: decoded, with
// backslashes as slashes, without parameters (;…), dot segments, doubled or
// trailing slashes, and cut where an origin may see the path's end: at a NUL, a
// fragment or a query. Origins do some of this and some of that; a path that
// any of them might take for a sale's must not pass as another.
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
		segments[i], _, _ = strings.Cut(s, ";")
	}
	return path.Clean("/" + strings.Join(segments, "/"))
}

// foldHost gives the form in which host names are compared: lower case, no
// port, no trailing dot, no brackets.
func foldHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}
