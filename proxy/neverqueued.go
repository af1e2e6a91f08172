package proxy

import (
	"net/http"
	"strings"
)

// neverQueued reports whether a request is one that no line is for, whatever it
// costs the origin: one that shows nothing, or asks for what belongs to the whole
// host. A path that is not in its plain form is not believed.
func neverQueued(r *http.Request) bool {
	if r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return true
	}
	path := r.URL.EscapedPath()
	return strings.EqualFold(foldPath(path), path) && (path == "/robots.txt" ||
		strings.HasPrefix(path, "/favicon.") || strings.HasPrefix(path, "/apple-touch-icon") ||
		strings.HasPrefix(path, "/.well-known/"))
}
