package framing

import "bytes"

// head is what of a head bears on where its message ends, and on whose it is.
type head struct {
	begun     bool // the request line is read
	old       bool // HTTP/1.0
	options   bool // the method is OPTIONS
	connect   bool // the method is CONNECT
	switches  bool // it, or until its request line the head before, asks for another protocol
	chunked   bool
	unknown   bool // a coding that is not
	blank     int  // bytes of the empty line before it
	hosts     int
	lengths   int
	codings   int
	fields    int
	length    int64 // of the body
	host      span
	authority span // of the target; empty: the target names none
}

// span is a part of a head.
type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }

// readLine reads the request line (RFC 9112, 3), which begins at an index of
// the head.
func (h *head) readLine(line []byte, at int) Refusal {
	h.begun, h.switches = true, false
	method, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, found := bytes.Cut(rest, []byte(" "))
	switch {
	case !found, len(target) == 0, len(method) == 0, !all(method, inToken):
		return RequestLine
	case !all(target, inTarget):
		return Target
	}
	h.options, h.connect = string(method) == "OPTIONS", string(method) == "CONNECT"
	if no := h.readVersion(version); no != "" {
		return no
	}
	return h.readTarget(target, at+len(method)+1)
}

func (h *head) readVersion(version []byte) Refusal {
	switch {
	case string(version) == "HTTP/1.1":
	case string(version) == "HTTP/1.0":
		h.old = true
	case len(version) == len("HTTP/1.1") && string(version[:5]) == "HTTP/" && version[6] == '.':
		return Version
	default:
		return RequestLine
	}
	return ""
}

// readTarget tells the four forms apart (RFC 9112, 3.2).
func (h *head) readTarget(target []byte, at int) Refusal {
	path := target
	switch {
	case h.connect:
		h.authority, path = span{at, at + len(target)}, nil
		if !isHost(target) || bytes.IndexByte(target, ':') < 0 {
			return Target
		}
	case target[0] == '/':
	case len(target) == 1 && target[0] == '*' && h.options:
	default:
		scheme, rest, found := bytes.Cut(target, []byte("://"))
		if !found || !folded(scheme, "http") && !folded(scheme, "https") {
			return Target
		}
		end := bytes.IndexAny(rest, "/?")
		if end < 0 {
			end = len(rest)
		}
		from := at + len(scheme) + len("://")
		h.authority, path = span{from, from + end}, rest[end:]
		if !isHost(rest[:end]) {
			return Target
		}
	}
	if !isEncoded(path) {
		return Target
	}
	return ""
}
