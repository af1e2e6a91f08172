package proxy

import (
	"net/http"
	"slices"
	"strings"
)

// wholeHost are files that browsers and robots ask for by themselves, once for all
// pages of a host.
var wholeHost = []string{"/robots.txt", "/sw.js", "/service-worker.js", "/manifest.json", "/manifest.webmanifest", "/site.webmanifest"}

// neverQueued reports whether a request is one that no line is for, whatever it
// costs the origin: one that shows nothing, or asks for what belongs to the whole
// host. A path that is not in its plain form is not believed.
func neverQueued(r *http.Request) bool {
	if showsNothing(r) {
		return !hasMethodParam(r.URL.RawQuery)
	}
	path := r.URL.EscapedPath()
	return strings.EqualFold(foldPath(path), path) && (slices.Contains(wholeHost, path) ||
		isFile(path, "/favicon.") || isFile(path, "/apple-touch-icon") || strings.HasPrefix(path, "/.well-known/"))
}

// showsNothing reports whether a request's method is one that is answered without
// a page.
func showsNothing(r *http.Request) bool {
	return r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// isFile reports whether a path is that of a file whose name begins so.
func isFile(path, begin string) bool {
	rest, ok := strings.CutPrefix(path, begin)
	return ok && !strings.Contains(rest, "/")
}
