package cache

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// verdict is what may be done with an answer.
type verdict struct {
	keep   bool     // it may be kept for others
	shared bool     // it may be used for who asked while it was fetched
	theirs bool     // it may not, but for a client who showed nothing it could be another that may
	why    string   // it may not, in one word
	reach  reach    // for whom
	life   lifetime // for how long
	vary   []string // fields of requests that it was chosen by
	drop   []string // fields that are not kept along
}

// reach is who an answer may be used for, beside those who show nothing of their
// own.
type reach struct {
	holders    bool // of cookies and the like
	authorized bool // who sends Authorization
}

// covers reports whether what a request shows is within reach.
func (to reach) covers(q question) bool {
	return (to.holders || !q.holder) && (to.authorized || !q.authorized)
}

// judge says whether the answer to a request may be kept in a shared cache (RFC
// 9111, 3 and 3.5), and is stricter in five points. Only what says so itself is
// kept: by a lifetime, or by asking to be validated and having something to do it
// with. To who shows a cookie it must say that it is for all. One that sets a cookie
// never is kept, and one with a field that begins with own is for us alone. One whose
// status is about the request is for who made that.
func judge(q question, status int, h http.Header, came time.Time, own string) verdict {
	d := parseDirectives(h["Cache-Control"])
	if !d.present && strings.EqualFold(h.Get("Pragma"), "no-cache") {
		d.noCache = true // as HTTP/1.0 said it
	}
	v := verdict{life: newLifetime(status, h, d, came), drop: d.fields}
	v.reach.holders = d.public || v.life.shared
	v.reach.authorized = d.public || d.sharedAge != absent || d.mustRevalidate
	names, all := varyNames(h)
	if len(h["Content-Encoding"]) > 0 && !slices.Contains(names, "Accept-Encoding") {
		names = append(names, "Accept-Encoding") // whether it says so or not
	}
	v.vary = names
	if v.why = v.forbids(q, status, h, d, all, own); v.why != "" {
		v.theirs = q.holder || q.authorized || q.d.noStore
		return v
	}
	v.shared = v.life.fresh > 0 // an origin that grants a time grants it to who asked meanwhile
	isFresh := v.life.fresh > initialAge(h, exchange{came, came})
	v.keep = isFresh || hasValidator(h) || v.life.whileRevalidate > 0 || v.life.ifError > 0
	if !v.keep {
		v.why = "no-validator"
	}
	return v
}

// forbids is why an answer may not be kept, "" if nothing is against it.
func (v verdict) forbids(q question, status int, h http.Header, d directives, varies bool, own string) string {
	secret := slices.Contains(v.vary, "Cookie") || slices.Contains(v.vary, "Authorization")
	switch {
	case q.d.noStore, d.noStore, surrogateForbids(h):
		return "no-store"
	case d.private:
		return "private"
	case len(h["Set-Cookie"]) > 0:
		return "set-cookie"
	case hasPrefix(h, own):
		return "command"
	case varies:
		return "vary"
	case !keepsStatus(status, d):
		return "status"
	case isEndless(h):
		return "stream"
	case len(h["Trailer"]) > 0:
		return "trailer"
	case !v.life.explicit:
		return "no-lifetime"
	case q.holder && (secret || !v.reach.holders):
		return "cookie"
	case q.authorized && (secret || !v.reach.authorized):
		return "authorization"
	}
	return ""
}

// keepsStatus reports whether an answer of a status can be kept: parts and what
// is no answer of its own never, nor what is about the request, and one that has to be
// understood only if it is (RFC 9111, 5.2.2.3).
func keepsStatus(status int, d directives) bool {
	if status < 200 || status == http.StatusPartialContent || status == http.StatusNotModified || isAboutRequest(status) {
		return false
	}
	return !d.mustUnderstand || http.StatusText(status) != ""
}

// isAboutRequest reports whether a status speaks of the request that it answers, of
// which the key shows nothing: kept, it would be one client's fault shown to all.
func isAboutRequest(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusLengthRequired, http.StatusPreconditionFailed,
		http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusRequestedRangeNotSatisfiable,
		http.StatusExpectationFailed, http.StatusMisdirectedRequest, http.StatusUpgradeRequired,
		http.StatusPreconditionRequired, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return false
}

// isRefusal reports whether an answer that is not kept says nothing about the target:
// it is about the request, or of a target whose answers can be kept it refuses one.
func isRefusal(status int, sure bool) bool {
	return isAboutRequest(status) ||
		sure && status >= 400 && status < 500 && status != http.StatusNotFound && status != http.StatusGone
}

// isEndless reports whether an answer is a stream that ends when somebody leaves.
func isEndless(h http.Header) bool {
	kind := strings.ToLower(h.Get("Content-Type"))
	return strings.HasPrefix(kind, "text/event-stream") || strings.HasPrefix(kind, "multipart/x-mixed-replace")
}

func hasValidator(h http.Header) bool { return h.Get("Etag") != "" || h.Get("Last-Modified") != "" }
