package framing

import "strings"

// headHTTP2 is a head of HTTP/2 (RFC 9113, 8.2 and 8.3). What is malformed in it, or
// would be another message in HTTP/1, is refused; its pseudo-fields are the known ones,
// in front, each once.
type headHTTP2 struct {
	method, scheme, path, authority, host string

	pseudo  uint8 // a bit for each that was read
	regular bool  // another field was read
	hosts   int
	lengths int
	length  int64
}

func (h *headHTTP2) readField(name, value string) Refusal {
	if strings.HasPrefix(name, ":") {
		return h.readPseudo(name, value)
	}
	h.regular = true
	if no := fieldHTTP2(name, value); no != "" {
		return no
	}
	return h.readKnown(name, value)
}

func (h *headHTTP2) readPseudo(name, value string) Refusal {
	var to *string
	var bit uint8
	switch name {
	case ":method":
		to, bit = &h.method, 1
	case ":scheme":
		to, bit = &h.scheme, 2
	case ":path":
		to, bit = &h.path, 4
	case ":authority":
		to, bit = &h.authority, 8
	default:
		return FieldName
	}
	if h.regular || h.pseudo&bit != 0 {
		return FieldName
	}
	*to, h.pseudo = value, h.pseudo|bit
	return ""
}

// readKnown reads what bears on framing and on whose request it is.
func (h *headHTTP2) readKnown(name, value string) Refusal {
	known := true
	switch {
	case folded(name, "host"):
		h.hosts++
		h.host = value
	case folded(name, "content-length"):
		h.lengths++
		n, ok := parseLength(value)
		if !ok {
			return Length
		}
		h.length = n
	case folded(name, "te"):
		if value != "trailers" {
			return Connection
		}
	default:
		known = false
		for _, no := range ofConnection {
			if folded(name, no) {
				return Connection
			}
		}
	}
	if known && spelled(name) {
		return FieldName
	}
	return ""
}

// ofConnection are the fields that HTTP/2 does not have (RFC 9113, 8.2.2).
var ofConnection = []string{"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}

// fieldHTTP2 looks at a field, of a head or of a trailer, whose name has no capitals
// (RFC 9113, 8.2.1).
func fieldHTTP2(name, value string) Refusal {
	switch {
	case name == "" || !all(name, inToken) || strings.ToLower(name) != name:
		return FieldName
	case !all(value, inValue) || len(trim(value)) != len(value):
		return FieldValue
	default:
		return ""
	}
}

func trailerHTTP2(name, value string) Refusal {
	if fieldHTTP2(name, value) != "" || !trails([]byte(name)) {
		return Trailer
	}
	return ""
}

// judge looks at a whole head together. ends says that no body follows.
func (h *headHTTP2) judge(ends bool) Refusal {
	switch {
	case h.lengths > 1, ends && h.length > 0:
		return Length
	case h.method == "" || !all(h.method, inToken):
		return RequestLine
	case h.hosts > 1, h.hosts > 0 && !isHost(h.host), h.authority != "" && !isHost(h.authority):
		return Host
	case h.authority == "" && h.hosts == 0, h.authority != "" && h.hosts > 0 && !same(h.authority, h.host):
		return Host
	case h.method == "CONNECT":
		return "" // the server's to see
	case h.scheme != "https" || !isTarget(h.path, h.method):
		return Target
	default:
		return ""
	}
}

// isTarget reports whether a :path is one that a request line could have in
// origin-form or in asterisk-form.
func isTarget(path, method string) bool {
	if path == "*" {
		return method == "OPTIONS"
	}
	return path != "" && path[0] == '/' && all(path, inTarget) && isEncoded(path)
}
