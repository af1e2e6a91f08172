package origin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// mostSmall is how long a body may be that is sent in one piece with its head.
const mostSmall = 16 << 10

// plainTarget is the target of a request that can be written in one piece and has
// nothing to it but an answer; ok is false for any other one, and what is odd about that
// is the standard client's to judge.
func plainTarget(r *http.Request) (target string, ok bool) {
	if r.Close || len(r.TransferEncoding) > 0 || len(r.Trailer) > 0 || r.Method == http.MethodConnect {
		return "", false
	}
	if r.Body != nil && r.Body != http.NoBody && (r.ContentLength <= 0 || r.ContentLength > mostSmall) {
		return "", false
	}
	target = r.URL.RequestURI()
	if target != "*" && target[0] != '/' || strings.ContainsFunc(target, isBlank) {
		return "", false
	}
	return target, httpguts.ValidHeaderFieldName(r.Method) && isPlainHost(r.Host) && isPlainHeader(r.Header)
}

func isBlank(c rune) bool { return c <= ' ' || c == 0x7f }

// isPlainHost reports whether a host is written as it is: other letters are not, nor are
// the zones of addresses.
func isPlainHost(host string) bool {
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '.', c == ':', c == '-', c == '_', c == '[', c == ']':
		default:
			return false
		}
	}
	return host != ""
}

func isPlainHeader(h http.Header) bool {
	for name, values := range h {
		switch name {
		case "Expect", "Upgrade", "Trailer":
			return false
		}
		if !httpguts.ValidHeaderFieldName(name) {
			return false
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return false
			}
		}
	}
	return true
}

// appendHead writes the head of a plain request: the same bytes as the standard client,
// fields in order of their names.
func appendHead(b []byte, r *http.Request, target string) []byte {
	b = append(b, r.Method...)
	b = append(b, ' ')
	b = append(b, target...)
	b = append(b, " HTTP/1.1\r\n"...)
	b = appendField(b, "Host", r.Host)
	if agent, said := r.Header["User-Agent"]; !said {
		b = appendField(b, "User-Agent", "Go-http-client/1.1")
	} else if len(agent) > 0 && agent[0] != "" {
		b = appendField(b, "User-Agent", agent[0])
	}
	if length := lengthOf(r); length > 0 || length == 0 && wantsLength(r.Method) {
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, length, 10)
		b = append(b, "\r\n"...)
	}
	var few [32]string
	names := few[:0]
	for name := range r.Header {
		switch name {
		case "Host", "User-Agent", "Content-Length", "Transfer-Encoding":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range r.Header[name] {
			b = appendField(b, name, v)
		}
	}
	return append(b, "\r\n"...)
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, strings.Trim(value, " \t")...)
	return append(b, "\r\n"...)
}

func lengthOf(r *http.Request) int64 {
	if r.Body == nil || r.Body == http.NoBody {
		return 0
	}
	return r.ContentLength
}

// wantsLength reports whether servers expect to be told that there is no body (RFC
// 9110, 8.6).
func wantsLength(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}
