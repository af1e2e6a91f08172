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
// trailing slashes, and cut at a NUL. Origins do some of this and some of that;
// a path that any of them might take for a sale's must not pass as another.
func foldPath(escaped string) string {
	p := escaped
	for range maxDecodes {
		d, err := url.PathUnescape(p)
		if err != nil || d == p {
			break
		}
		p = d
	}
	p, _, _ = strings.Cut(p, "\x00")
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
	host = strings.Trim(host, "[]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}
