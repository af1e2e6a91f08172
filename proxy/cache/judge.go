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
// 9111, 3 and 3.5), and is stricter in four points. Only what says so itself is
// kept: by a lifetime, or by asking to be validated and having something to do it
// with. To who shows a cookie it must say that it is for all. One that sets a cookie
// never is kept, and one with a field that begins with own is for us alone.
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
	secret := slices.Contains(names, "Cookie") || slices.Contains(names, "Authorization")
	switch {
	case d.noStore, d.private, surrogateForbids(h), all,
		len(h["Set-Cookie"]) > 0, len(h["Trailer"]) > 0, hasPrefix(h, own),
		!v.reach.covers(q), secret && (q.holder || q.authorized),
		!keepsStatus(status, d), isEndless(h), !v.life.explicit, q.d.noStore:
		v.theirs = q.holder || q.authorized || q.d.noStore
		return v
	}
	v.shared = v.life.fresh > 0 // an origin that grants a time grants it to who asked meanwhile
	isFresh := v.life.fresh > initialAge(h, exchange{came, came})
	v.keep = isFresh || hasValidator(h) || v.life.whileRevalidate > 0 || v.life.ifError > 0
	return v
}

// keepsStatus reports whether an answer of a status can be kept: parts and what
// is no answer of its own never, and one that has to be understood only if it is
// (RFC 9111, 5.2.2.3).
func keepsStatus(status int, d directives) bool {
	if status < 200 || status == http.StatusPartialContent || status == http.StatusNotModified {
		return false
	}
	return !d.mustUnderstand || http.StatusText(status) != ""
}

// isEndless reports whether an answer is a stream that ends when somebody leaves.
func isEndless(h http.Header) bool {
	kind := strings.ToLower(h.Get("Content-Type"))
	return strings.HasPrefix(kind, "text/event-stream") || strings.HasPrefix(kind, "multipart/x-mixed-replace")
}

func hasValidator(h http.Header) bool { return h.Get("Etag") != "" || h.Get("Last-Modified") != "" }
