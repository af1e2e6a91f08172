package framing

import "bytes"

// readSize reads the line before a chunk (RFC 9112, 7.1).
func (r *Reader) readSize(b []byte) (int, Refusal) {
	line, ok, no := r.nextLine(b)
	switch {
	case no != "", r.seen > maxChunk:
		return 0, Chunk
	case !ok:
		return 0, ""
	}
	size, ok := chunkSize(line)
	if !ok {
		return 0, Chunk
	}
	n := r.line
	if size == 0 {
		r.enter(inTrailer)
	} else {
		r.enter(inData)
		r.left = size
	}
	return n, ""
}

// chunkSize reads the digits; an extension right behind them is passed over.
func chunkSize(line []byte) (int64, bool) {
	digits, extension, _ := bytes.Cut(line, []byte(";"))
	if len(digits) == 0 || len(digits) > 15 || !all(digits, inHex) || !all(extension, inValue) {
		return 0, false
	}
	var size int64
	for _, c := range digits {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c&^0x20 - 'A' + 10
		}
		size = size<<4 | int64(c)
	}
	return size, true
}

func (r *Reader) readDataEnd(b []byte) (int, Refusal) {
	if !bytes.HasPrefix([]byte("\r\n"), b[:min(2, len(b))]) {
		return 0, Chunk
	}
	if len(b) < 2 {
		return 0, ""
	}
	r.enter(inSize)
	return 2, ""
}

// readTrailer reads the fields behind the last chunk, and the empty line.
func (r *Reader) readTrailer(b []byte) (int, Refusal) {
	for {
		line, ok, no := r.nextLine(b)
		switch {
		case no != "", r.seen > maxTrailer:
			return 0, Trailer
		case !ok:
			return 0, ""
		case len(line) == 0:
			n := r.line
			r.enter(inHead)
			return n, ""
		}
		name, _, no := field(line)
		if no != "" || !trails(name) {
			return 0, Trailer
		}
	}
}

// notTrailing are fields that would come too late: what they say was decided with
// the head (RFC 9110, 6.5.1).
var notTrailing = []string{
	"transfer-encoding", "content-length", "trailer", "te", "host", "connection", "upgrade", "keep-alive", "expect",
	"authorization", "proxy-authorization", "cookie", "set-cookie", "range", "max-forwards", "cache-control", "pragma",
	"content-encoding", "content-type", "content-range", "forwarded", "via", "x-real-ip", "x-http-method-override",
}

func trails(name []byte) bool {
	for _, no := range notTrailing {
		if folded(name, no) {
			return false
		}
	}
	for _, prefix := range []string{"x-forwarded-", "waitroom-"} {
		if len(name) >= len(prefix) && folded(name[:len(prefix)], prefix) {
			return false
		}
	}
	return true
}
