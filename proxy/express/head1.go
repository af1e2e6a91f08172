package express

import (
	"bytes"
	"strings"
	"unsafe"
)

// read reads a head that framing has found clean. False: it asks for something that is
// the server's. closes says that its answer is to be the last on the connection.
func (s *sheet) read(head []byte) (closes, ok bool) {
	s.head = append(s.head[:0], head...)
	line, rest := cutLine(s.head)
	method, line, _ := bytes.Cut(line, []byte{' '})
	target, _, _ := bytes.Cut(line, []byte{' '})
	s.Method, s.Target = text(method), text(target)
	for {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			return closes, true
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		lower(name)
		f := Field{text(name), strings.Trim(text(value), " \t")}
		s.Fields = append(s.Fields, f)
		switch f.Name {
		case "host":
			s.Authority = f.Value
		case "connection":
			switch {
			case strings.EqualFold(f.Value, "close"):
				closes = true
			case !strings.EqualFold(f.Value, "keep-alive"):
				return false, false
			}
		case "expect", "te", "upgrade", "http2-settings":
			return false, false
		}
	}
}

// cutLine cuts at the end of the first line.
func cutLine(b []byte) (line, rest []byte) {
	end := bytes.IndexByte(b, '\n')
	return b[:end-len("\r")], b[end+1:]
}

func lower(name []byte) {
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
}

// text is a piece of a sheet, without new memory: nobody writes to it while the Request
// is read.
func text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b)) //nolint:gosec // see above
}
