package proxy

import (
	"iter"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/listen"
)

// question is a request as far as a decision needs it, wherever it was read: by net/http
// or on the express lane. Neither makes anything of it: its texts are those that came.
type question struct {
	method, host string
	path, query  string // escaped
	http2        bool
	peer         netip.Addr // at the other end of the connection
	own          bool       // that is a proxy's own, see listen.Own
	named        string     // in the handshake; empty: nothing was, or there was none

	// One of both is there.
	header http.Header
	fields []express.Field

	url    *url.URL // nil on the express lane, where target is there
	target string
	found  []string // see lines
	room   [8]string
}

// questionOf is the question of a request.
func questionOf(r *http.Request) question {
	q := question{
		method: r.Method, host: r.Host, path: r.URL.EscapedPath(), query: r.URL.RawQuery, http2: r.ProtoMajor == 2,
		peer: peerOf(r), own: wayInOf(r).own, header: r.Header, url: r.URL,
	}
	if r.TLS != nil {
		q.named = r.TLS.ServerName
	}
	return q
}

// read is the question of a request on the express lane, in the place of the last.
func (q *question) read(r *express.Request) {
	path, query, _ := strings.Cut(r.Target, "?")
	*q = question{
		method: r.Method, host: r.Authority, path: path, query: query, http2: r.HTTP2,
		peer: addrOfPeer(r.Conn.RemoteAddr()), own: listen.Own(r.Conn), named: r.ServerName,
		fields: r.Fields, target: r.Target,
	}
	q.found = q.room[:0]
}

// addrOfPeer is the address of who is at the other end.
func addrOfPeer(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

// express reports whether the question came on the express lane.
func (q *question) express() bool { return q.url == nil }

// address is path and query as a page names them.
func (q *question) address() string {
	if q.url != nil {
		return q.url.RequestURI()
	}
	return q.target
}

// escaped is the path as records have it, and lasts. What came on the express lane may be
// written in other ways.
func (q *question) escaped() string {
	if u, err := url.ParseRequestURI(q.path); err == nil {
		return strings.Clone(u.EscapedPath())
	}
	return url.PathEscape(q.path)
}

// field is the first of a name, which is in its canonical form; empty: there is none.
func (q *question) field(name string) string {
	for value := range q.all(name) {
		return value
	}
	return ""
}

// all are the values of the fields of a name, which is in its canonical form.
func (q *question) all(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if q.header != nil {
			for _, value := range q.header[name] {
				if !yield(value) {
					return
				}
			}
			return
		}
		for i := range q.fields {
			if isNamed(q.fields[i].Name, name) && !yield(q.fields[i].Value) {
				return
			}
		}
	}
}

// lines are all, in a list.
func (q *question) lines(name string) []string {
	if q.header != nil {
		return q.header[name]
	}
	from := len(q.found)
	for value := range q.all(name) {
		q.found = append(q.found, value)
	}
	return q.found[from:len(q.found):len(q.found)]
}

// isNamed reports whether a name in lower case is a canonical one.
func isNamed(lower, canonical string) bool {
	if len(lower) != len(canonical) {
		return false
	}
	for i := range len(lower) {
		c := canonical[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// cookies are all values sent under a name, given in two parts. A browser that kept an
// old cookie beside a new one sends both.
func (q *question) cookies(prefix, id string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range q.all("Cookie") {
			for more := true; more; {
				var pair string
				pair, line, more = strings.Cut(line, ";")
				n, v, _ := strings.Cut(strings.TrimSpace(pair), "=")
				if len(n) == len(prefix)+len(id) && strings.HasPrefix(n, prefix) && n[len(prefix):] == id && !yield(strings.Trim(v, `"`)) {
					return
				}
			}
		}
	}
}

// cookie is the first of a name; empty: there is none.
func (q *question) cookie(prefix, id string) string {
	for v := range q.cookies(prefix, id) {
		return v
	}
	return ""
}

// reads reports whether it is asked for nothing to be changed.
func (q *question) reads() bool { return q.method == http.MethodGet || q.method == http.MethodHead }
