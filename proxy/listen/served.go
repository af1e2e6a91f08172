package listen

import (
	"crypto/tls"
	"net"
)

// first is a connection that speaks HTTP/1.
type first struct {
	net.Conn // a framing.Conn
	under    *conn
}

// Release lets everything through as it is, for another protocol.
func (f *first) Release() {
	if screen, ok := f.Conn.(interface{ Release() }); ok {
		screen.Release()
	}
}

// CloseWrite says that nothing more will come.
func (f *first) CloseWrite() error { return f.under.CloseWrite() }

func (f *first) base() *conn { return f.under }

// firstSecure is one over TLS, of which net/http takes the state.
type firstSecure struct {
	first
	state tls.ConnectionState
}

func (f *firstSecure) ConnectionState() tls.ConnectionState { return f.state }

// CloseWrite is that of TLS and of what is under it.
func (f *firstSecure) CloseWrite() error {
	if screen, ok := f.Conn.(interface{ CloseWrite() error }); ok {
		_ = screen.CloseWrite()
	}
	return f.first.CloseWrite()
}

// Secure is the state of the TLS under a connection that a Door brought; nil if
// it is plain. net/http finds that of HTTP/1 by itself.
func Secure(c net.Conn) *tls.ConnectionState {
	switch c := c.(type) {
	case *firstSecure:
		return &c.state
	case *second:
		return &c.state
	}
	return nil
}
