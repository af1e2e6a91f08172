package express

import "net"

// Request is one that has come whole and clean, and has no body. Its texts are valid
// until Desk.Done has returned, or Desk.Answer has returned nil.
type Request struct {
	Method     string
	Authority  string  // the Host of HTTP/1.1, or :authority, as sent
	Target     string  // in origin-form: path and query as sent
	Fields     []Field // as sent and in that order, Host included; of HTTP/2, cookies may be several
	HTTP2      bool
	ServerName string   // of the handshake
	Conn       net.Conn // as the ordinary handler has it: for RemoteAddr and what listen says of it

	// Scratch is the desk's, from Answer to Done: it is the connection's, and what is
	// in it from the request before may be overwritten. Its Buf keeps its capacity.
	Scratch
}

// Field has its name in lower case.
type Field struct{ Name, Value string }

// Scratch is where an answer for one shopper is put together without new memory.
type Scratch struct {
	Own  Answer // may be what Answer returns
	Buf  []byte // may be what Own points into
	Note any    // a pointer that Done wants back; nil for each request
}

// Answer is what a request gets, in HTTP/1.1 and in HTTP/2. It does not change between
// Desk.Answer and Desk.Done. Date, and what belongs to the connection, is the lane's;
// so is leaving the body out for HEAD.
type Answer struct {
	Status int
	Head1  []byte // status line and fields, each with its CR LF, Content-Length included; no Date, no Connection, no empty line
	Head2  []byte // block of HTTP/2 from :status on, content-length included; no date; it changes no table
	Body   []byte // none for 204 and 304
	Dated  bool   // the heads have a Date of their own: that of what is kept
}

// Desk knows what a request gets.
type Desk interface {
	// Answer is what a request gets at once; nil: it goes on to the ordinary server,
	// which decides and counts it anew. It must not block.
	Answer(r *Request) *Answer

	// Done follows each Answer that was not nil, from the same goroutine, once it is in
	// line to be written. body is how many bytes of its body are; -1: the client has no
	// room for it, and the request goes on to the server, which decides and counts it
	// anew.
	Done(r *Request, a *Answer, body int)
}
