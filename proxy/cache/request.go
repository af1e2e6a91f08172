package cache

import (
	"net/http"
	"slices"
	"strings"
)

// question is what a request asks of the cache, read once.
type question struct {
	key        string
	d          directives
	holder     bool // it shows a cookie or the like
	authorized bool
	part       bool // it asks for a part
}

// kind is what a request may have to do with what is kept.
type kind int

const (
	reads   kind = iota // may be answered from what is kept
	skips               // has nothing to do with it
	changes             // makes what is kept of its target doubtful
)

// kindOf sorts requests. A GET with a body, or with a field that makes another
// method of it, is answered in a way that its key does not show.
func kindOf(r *http.Request) kind {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions, http.MethodTrace, http.MethodConnect:
		return skips
	default:
		return changes
	}
	switch methodFields(r.Header) {
	case changes:
		return changes
	case skips:
		return skips
	}
	switch {
	case r.Body != nil && r.Body != http.NoBody,
		len(r.Header["Upgrade"]) > 0,
		len(r.Header["If-Match"]) > 0, len(r.Header["If-Unmodified-Since"]) > 0,
		len(r.Header["Expect"]) > 0:
		return skips
	}
	return reads
}

// methodFields is changes for a header that makes an unsafe method of a request at
// some origins, skips for one that makes any other, and reads for all others.
func methodFields(h http.Header) kind {
	found := reads
	for name, lines := range h {
		if len(name) == 0 || name[0]|0x20 != 'x' || !isMethodField(name) {
			continue
		}
		found = max(found, skips)
		for method := range strings.SplitSeq(strings.ToUpper(strings.Join(lines, ",")), ",") {
			switch strings.TrimSpace(method) {
			case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
				return changes
			}
		}
	}
	return found
}

// isMethodField reports whether an origin may take a name for one of the fields that
// make another method: some see no difference between a hyphen and any other mark.
func isMethodField(name string) bool {
	folded := strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c | 0x20
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return '-'
	}, name)
	return folded == "x-http-method-override" || folded == "x-http-method" || folded == "x-method-override"
}

// ask reads a request. As a cookie counts whatever field begins with own.
func ask(r *http.Request, own string) question {
	q := question{key: keyOf(r), d: parseDirectives(r.Header["Cache-Control"])}
	q.holder = len(r.Header["Cookie"]) > 0 || hasPrefix(r.Header, own)
	q.authorized = len(r.Header["Authorization"]) > 0
	q.part = len(r.Header["Range"]) > 0 && r.Method == http.MethodGet
	return q
}

func hasPrefix(h http.Header, prefix string) bool {
	if prefix == "" {
		return false
	}
	for name := range h {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// keyOf names what a request is for: the scheme and host that it was made for,
// whichever way it came, and its target byte for byte. None of the parts can hold
// the byte between them.
func keyOf(r *http.Request) string {
	scheme := strings.Join(r.Header["X-Forwarded-Proto"], ",")
	return strings.Join([]string{
		scheme, normalHost(scheme, strings.Join(r.Header["X-Forwarded-Host"], ",")), normalHost(scheme, hostOf(r)), r.URL.RequestURI(),
	}, "\x00")
}

func hostOf(r *http.Request) string {
	if r.Host == "" {
		return r.URL.Host
	}
	return r.Host
}

// targetKey is the key of another target of the same host.
func targetKey(key, target string) string { return key[:strings.LastIndexByte(key, 0)+1] + target }

// targetOf is the target that a key ends with.
func targetOf(key string) string { return key[strings.LastIndexByte(key, 0)+1:] }

// normalHost is a host as the key has it. Only ways to write it that browsers take
// for the same are the same: origins write what a client wrote, with its port and
// its dot, into the links of their pages, which then are for those who wrote the same.
func normalHost(scheme, host string) string {
	host = strings.ToLower(host)
	switch scheme {
	case "https":
		return strings.TrimSuffix(host, ":443")
	case "http":
		return strings.TrimSuffix(host, ":80")
	default:
		return host
	}
}

// removeConditions makes a request one for the whole, whatever the client has.
func removeConditions(h http.Header) {
	for _, name := range conditions {
		delete(h, name)
	}
}

var conditions = []string{"If-None-Match", "If-Modified-Since", "If-Range", "Range"}

func isConditional(h http.Header) bool {
	return slices.ContainsFunc(conditions, func(name string) bool { return len(h[name]) > 0 })
}
