package express

import "golang.org/x/net/http2/hpack"

// readHTTP2 reads a head that framing has found clean. False: it asks for something
// that is the server's, or is larger than most, which a server says (RFC 9113, 6.5.2).
func (s *sheet) readHTTP2(fields []hpack.HeaderField, most int) bool {
	s.HTTP2 = true
	for _, f := range fields {
		if most -= int(f.Size()); most < 0 {
			return false
		}
		switch f.Name {
		case ":method":
			s.Method = f.Value
		case ":path":
			s.Target = f.Value
		case ":authority":
			s.Authority = f.Value
		case ":scheme":
		case "expect":
			return false
		case "host":
			if s.Authority == "" {
				s.Authority = f.Value
			}
			fallthrough
		default:
			s.Fields = append(s.Fields, Field{f.Name, f.Value})
		}
	}
	return s.Method != "CONNECT" && s.Target != "*"
}
