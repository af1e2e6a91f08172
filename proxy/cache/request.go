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
	if hasMethodField(r.Header) {
		return changes
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

// hasMethodField reports whether a header makes another method of a request at some
// origins, of which some read underscores as hyphens.
func hasMethodField(h http.Header) bool {
	for name := range h {
		if len(name) == 0 || name[0]|0x20 != 'x' {
			continue
		}
		switch strings.ReplaceAll(strings.ToLower(name), "_", "-") {
		case "x-http-method-override", "x-http-method", "x-method-override":
			return true
		}
	}
	return false
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
