package cache

import (
	"io"
	"net/http"
)

// statuses are what Cache-Status says (RFC 9211) of what comes from memory.
var statuses = map[Outcome]string{
	Hit:     "waitroom; hit",
	Stale:   "waitroom; hit; detail=stale",
	Renewed: "waitroom; fwd=stale; fwd-status=304",
	Joined:  "waitroom; fwd=stale; fwd-status=304; collapsed",
}

// tell adds to what the caches of an answer say of themselves.
func tell(h http.Header, status string) { h["Cache-Status"] = append(h["Cache-Status"], status) }

// tellForwarded says why a request went to the origin, and what became of the answer,
// or why it is not kept.
func tellForwarded(h http.Header, fwd, why string) {
	if why != "" {
		why = "; detail=" + why
	}
	tell(h, "waitroom; fwd="+fwd+why)
}

// reasonOf is why a request goes to the origin (RFC 9211, 2.2), for what was found of
// its target: the answer that it selects, or what the others are chosen by.
func reasonOf(a *answer, vary []selector) string {
	switch {
	case a != nil:
		return "stale"
	case vary == nil:
		return "uri-miss"
	case len(vary) > 0:
		return "vary-miss"
	default:
		return "request" // what is kept is not for who shows something of their own
	}
}

// keptBody is the body of an answer that was kept, by which it is known: what its
// header says could be the origin's word.
type keptBody struct{ io.ReadCloser }

// Kept reports whether an answer comes from what was kept, so that the origin had no
// work with it.
func Kept(resp *http.Response) bool {
	_, is := resp.Body.(keptBody)
	return is
}
