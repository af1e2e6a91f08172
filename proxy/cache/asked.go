package cache

import "net/http"

// Asked is what of a request decides on the form of an answer that is kept: the lines of
// its fields.
type Asked struct {
	Method                                       string
	AcceptEncoding, CacheControl                 []string
	IfNoneMatch, IfModifiedSince, Range, IfRange []string
}

func askedBy(r *http.Request) Asked {
	h := r.Header
	return Asked{
		Method: r.Method, AcceptEncoding: h["Accept-Encoding"], CacheControl: h["Cache-Control"],
		IfNoneMatch: h["If-None-Match"], IfModifiedSince: h["If-Modified-Since"], Range: h["Range"], IfRange: h["If-Range"],
	}
}

// first is the first line of a field; empty: there is none.
func first(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}
