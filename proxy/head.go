package proxy

import (
	"net/http"
	"strconv"
)

// head is the beginning of an answer as it is written: for a server of net/http, or as
// the bytes of HTTP/1.1 (RFC 9112, 4 and 5) or of HTTP/2, where it is a block of fields
// that refers to no table but the one that never changes (RFC 7541, 6.2.2 and appendix A).
type head struct {
	header http.Header // nil: bytes are wanted
	http2  bool
	bytes  []byte // behind what stood there before
}

// begin is before the first field.
func (h *head) begin(status int) {
	switch {
	case h.header != nil:
	case h.http2:
		h.bytes = appendStatus2(h.bytes, status)
	default:
		h.bytes = append(h.bytes, "HTTP/1.1 "...)
		h.bytes = append(strconv.AppendInt(h.bytes, int64(status), 10), ' ')
		h.bytes = append(append(h.bytes, http.StatusText(status)...), "\r\n"...)
	}
}

// add adds a field. Its name is in the canonical form, and neither name nor value has a
// line's end.
func (h *head) add(name, value string) {
	switch {
	case h.header != nil:
		h.header[name] = append(h.header[name], value)
	case h.http2:
		h.bytes = appendField2(h.bytes, name, value)
	default:
		h.bytes = append(append(append(append(h.bytes, name...), ": "...), value...), "\r\n"...)
	}
}

// length is the field that says how long the body is.
func (h *head) length(n int) {
	if h.header != nil {
		h.header["Content-Length"] = []string{strconv.Itoa(n)}
		return
	}
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], int64(n), 10)
	if h.http2 {
		h.bytes = append(appendName2(h.bytes, "Content-Length"), byte(len(text)))
		h.bytes = append(h.bytes, text...)
		return
	}
	h.bytes = append(append(append(h.bytes, "Content-Length: "...), text...), "\r\n"...)
}

// appendStatus2 is :status, which has whole entries for a few.
func appendStatus2(b []byte, status int) []byte {
	for i, known := range [...]int{200, 204, 206, 304, 400, 404, 500} {
		if status == known {
			return append(b, 0x80|byte(8+i))
		}
	}
	return strconv.AppendInt(append(b, 8, 3), int64(status), 10)
}

// appendField2 is a literal field that nobody is to put into a table: what is one
// shopper's not even behind us (RFC 7541, 7.1.3).
func appendField2(b []byte, name, value string) []byte {
	b = appendName2(b, name)
	b = appendInt2(b, 0, 7, len(value))
	return append(b, value...)
}

func appendName2(b []byte, name string) []byte {
	first := byte(0)
	if name == "Set-Cookie" {
		first = 0x10
	}
	if i := index2(name); i > 0 {
		return appendInt2(b, first, 4, i)
	}
	b = appendInt2(append(b, first), 0, 7, len(name))
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}

// appendInt2 is a whole number with a prefix of so many bits (RFC 7541, 5.1).
func appendInt2(b []byte, first byte, bits, n int) []byte {
	most := 1<<bits - 1
	if n < most {
		return append(b, first|byte(n))
	}
	b = append(b, first|byte(most))
	for n -= most; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// index2 is where a name stands in the static table; 0: nowhere.
func index2(name string) int {
	switch name {
	case "Accept-Ranges":
		return 18
	case "Access-Control-Allow-Origin":
		return 20
	case "Age":
		return 21
	case "Allow":
		return 22
	case "Cache-Control":
		return 24
	case "Content-Disposition":
		return 25
	case "Content-Encoding":
		return 26
	case "Content-Language":
		return 27
	case "Content-Length":
		return 28
	case "Content-Location":
		return 29
	case "Content-Range":
		return 30
	case "Content-Type":
		return 31
	case "Date":
		return 33
	case "Etag":
		return 34
	case "Expires":
		return 36
	case "Last-Modified":
		return 44
	case "Link":
		return 45
	case "Location":
		return 46
	case "Retry-After":
		return 53
	case "Server":
		return 54
	case "Set-Cookie":
		return 55
	case "Strict-Transport-Security":
		return 56
	case "Vary":
		return 59
	case "Via":
		return 60
	default:
		return 0
	}
}
