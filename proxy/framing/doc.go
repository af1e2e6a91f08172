// Package framing reads where HTTP messages begin and end (RFC 9112 and 9113),
// strictly: what two readers could take for different messages is refused.
//
// Its reading is arithmetic on bytes: no handler, no configuration, no clock. An
// HTTP1 reads so between a client and a server: the server gets a head only once it
// is whole and clean, and never two messages at once, so what is refused never was
// a request. An HTTP2 does the like for HTTP/2, where the server knows much of it
// by itself, bounds the frames that it does not, and says the goodbye that it does
// not say. Neither changes a byte of a clean message.
package framing
