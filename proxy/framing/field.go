package framing

import "bytes"

// field parts a line into name and value (RFC 9112, 5).
func field(line []byte) (name, value []byte, no Refusal) {
	if line[0] == ' ' || line[0] == '\t' {
		return nil, nil, Folded
	}
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found || len(name) == 0 || !all(name, inToken) {
		return nil, nil, FieldName
	}
	if !all(value, inValue) {
		return nil, nil, FieldValue
	}
	return name, trim(value), ""
}

// readField reads a field, whose line begins at an index of the head. One that an origin
// could take for a field of framing, because all punctuation is one to it, is none that
// is let through.
func (h *head) readField(line []byte, at int) Refusal {
	name, value, no := field(line)
	if no != "" {
		return no
	}
	if h.fields++; h.fields > maxFields {
		return Large
	}
	known := true
	switch {
	case folded(name, "host"):
		h.hosts++
		from := at + len(line) - len(bytes.TrimLeft(line[len(name)+1:], " \t"))
		h.host = span{from, from + len(value)}
	case folded(name, "content-length"):
		no = h.readLength(value)
	case folded(name, "transfer-encoding"):
		h.codings++
		h.chunked = folded(value, "chunked")
		h.unknown = h.unknown || !h.chunked
	case folded(name, "upgrade"):
		h.switches = true
	default:
		known = false
	}
	if known && spelled(name) {
		return FieldName
	}
	return no
}

func (h *head) readLength(value []byte) Refusal {
	h.lengths++
	n, ok := parseLength(value)
	if !ok {
		return Length
	}
	h.length = n
	return ""
}

// judge looks at the fields of a whole head together (RFC 9112, 3.2 and 6.3).
func (h *head) judge(b []byte) Refusal {
	switch {
	case h.lengths > 1:
		return Length // also where both say the same: nobody means to
	case h.codings > 1, h.codings > 0 && (h.old || h.lengths > 0):
		return Coding
	case h.unknown:
		return Unknown
	case h.hosts > 1, h.hosts == 0 && !h.old:
		return Host
	case h.hosts > 0 && !isHost(h.host.of(b)):
		return Host
	case h.hosts > 0 && h.authority.to > 0 && !same(h.authority.of(b), h.host.of(b)):
		return Host // a proxy would take the target's word, and an origin may take the other (RFC 9112, 3.2.2)
	}
	h.switches = h.switches || h.connect
	return ""
}
