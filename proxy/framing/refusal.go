package framing

import "net/http"

// Refusal is why a message is not let through. There are only these few, so that
// one may be the label of a metric. Empty: it is let through.
type Refusal string

// What is refused, and in what a message must be to pass.
const (
	LineEnd     Refusal = "line_end"     // each line ends in CR LF, and neither stands elsewhere
	RequestLine Refusal = "request_line" // method, target and version, one blank between them
	Target      Refusal = "target"       // origin-form; absolute-form of the Host; * with OPTIONS; host:port with CONNECT
	Version     Refusal = "version"      // HTTP/1.1 or HTTP/1.0
	Folded      Refusal = "folded"       // no line begins with a blank (obs-fold)
	FieldName   Refusal = "field_name"   // a token, the colon right behind it
	FieldValue  Refusal = "field_value"  // no controls but tabs
	Host        Refusal = "host"         // one name or address, with a port or without
	Length      Refusal = "length"       // one Content-Length of 1 to 18 digits
	Coding      Refusal = "coding"       // chunked, once, nothing else, and not with HTTP/1.0 or a length
	Unknown     Refusal = "unknown"      // a coding that is not known here
	Chunk       Refusal = "chunk"        // a size of 1 to 15 hexadecimal digits, a short extension, CR LF behind the data
	Trailer     Refusal = "trailer"      // fields that say nothing about framing, routing or rights
	Large       Refusal = "large"        // a head within its bounds
	Connection  Refusal = "connection"   // no field of one connection in HTTP/2
	Flood       Refusal = "flood"        // frames of HTTP/2 that do nothing, no more than a busy client needs
)

// said is what the client is told.
var said = map[Refusal]string{
	LineEnd:     "lines end in CR LF, and neither may stand elsewhere",
	RequestLine: "the request line is method, target and version, with one blank between them",
	Target:      "the target is a path, or an address of the Host",
	Version:     "the version is HTTP/1.1 or HTTP/1.0",
	Folded:      "no line may begin with a blank",
	FieldName:   "the name of a field is a token, with the colon right behind it",
	FieldValue:  "a field may not have control characters",
	Host:        "one Host is needed, a name or an address",
	Length:      "Content-Length is one number, of at most 18 digits",
	Coding:      "Transfer-Encoding is chunked, in HTTP/1.1, without Content-Length",
	Unknown:     "Transfer-Encoding is chunked, nothing else",
	Chunk:       "a chunk is broken",
	Trailer:     "a trailer field is not allowed there",
	Large:       "the header fields are too large",
	Connection:  "no field of one connection is allowed in HTTP/2",
	Flood:       "too many frames do nothing",
}

// Error says what would be right.
func (r Refusal) Error() string { return said[r] }

// Status is that of the answer to it.
func (r Refusal) Status() int {
	switch r {
	case Large:
		return http.StatusRequestHeaderFieldsTooLarge
	case Version:
		return http.StatusHTTPVersionNotSupported
	case Unknown:
		return http.StatusNotImplemented
	default:
		return http.StatusBadRequest
	}
}
