// Package framing reads where HTTP/1 messages begin and end (RFC 9112), strictly:
// what two readers could take for different messages is refused.
//
// It is arithmetic on bytes: no handler, no configuration, no clock.
package framing
