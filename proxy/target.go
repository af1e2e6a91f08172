package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// errTarget is a request target that cannot be passed on as it came.
var errTarget = errors.New("request target: has bytes that must be percent-encoded")

// originTarget is the target of a request as the origin is sent it: byte for byte
// as it came, but for the scheme and the name of an absolute one (RFC 9112, 3.2.1
// and 3.2.2). What could not be sent so is refused.
func originTarget(r *http.Request) (string, error) {
	target := r.RequestURI
	switch {
	case target == "*" && r.Method == http.MethodOptions:
		return target, nil
	case !strings.HasPrefix(target, "/"):
		_, rest, ok := strings.Cut(target, "://")
		if !ok {
			return "", errors.New("request target: neither a path nor an address")
		}
		at := strings.IndexAny(rest, "/?#")
		if at < 0 {
			return "/", nil
		}
		if target = rest[at:]; target[0] != '/' {
			target = "/" + target
		}
	}
	if targetURL(target, r.URL).RequestURI() != target {
		return "", errTarget
	}
	return target, nil
}

// targetURL is a URL that is written as a target. Its parts are those of in, which
// was read from it, for who looks at them on the way.
func targetURL(target string, in *url.URL) *url.URL {
	u := *in
	u.User = nil
	path, query, asked := strings.Cut(target, "?")
	u.RawQuery, u.ForceQuery, u.Opaque = query, asked, ""
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		u.Opaque = path // as it came, also where net/url would write it otherwise
	}
	return &u
}
