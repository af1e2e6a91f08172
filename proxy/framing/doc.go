// Package framing reads where HTTP/1 messages begin and end (RFC 9112), strictly:
// what two readers could take for different messages is refused.
//
// A Reader is arithmetic on bytes: no handler, no configuration, no clock. A Conn
// is a Reader between a server and its client: the server gets a head only once
// it is whole and clean, and never two messages at once, so what is refused never
// was a request. It changes no byte of what it lets through.
package framing
