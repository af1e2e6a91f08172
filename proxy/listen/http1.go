package listen

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/framing"
)

// screened1 is a connection over HTTP/1 that is read strictly: framing's, or the lane's.
type screened1 interface {
	net.Conn
	CloseWrite() error
	Release()
}

// http1 is a connection that speaks HTTP/1.
type http1 struct {
	screened1
	under *conn
}

func (h *http1) base() *conn { return h.under }

// Stirred says that it was not idle at an instant.
func (h *http1) Stirred(now time.Time) { h.under.stirred.Store(now.UnixNano()) }

// newHTTP1 is one over TLS.
func (g *Greeter) newHTTP1(c *conn, secure *tls.Conn, state tls.ConnectionState, terms *Terms) *http1Secure {
	h := &http1Secure{http1{nil, c}, state}
	if g.lane == nil {
		h.screened1 = framing.ScreenHTTP1(secure, terms.Header, g.refused)
	} else {
		h.screened1 = g.lane.HTTP1(secure, state.ServerName, terms.Header, g.refused, func(*express.HTTP1) express.Place { return h })
	}
	return h
}

// await lets the lane answer as long as it can.
func (h *http1) await() error {
	if lane, ok := h.screened1.(*express.HTTP1); ok {
		return lane.Await()
	}
	return nil
}

// http1Secure is one over TLS, of which net/http takes the state.
type http1Secure struct {
	http1
	state tls.ConnectionState
}

func (h *http1Secure) ConnectionState() tls.ConnectionState { return h.state }

// CloseWrite is that of TLS and of what is under it.
func (h *http1Secure) CloseWrite() error {
	_ = h.screened1.CloseWrite()
	return h.under.CloseWrite()
}

// Secure is the state of the TLS under a connection that a Greeter brought; nil if
// it is plain. net/http finds that of HTTP/1 by itself.
func Secure(c net.Conn) *tls.ConnectionState {
	switch c := c.(type) {
	case *http1Secure:
		return &c.state
	case *http2:
		return &c.state
	}
	return nil
}

// Own reports whether a connection that a Greeter brought is a proxy's own: its PROXY
// header names no client, so that nobody knows whose words come over it.
func Own(c net.Conn) bool {
	s, ok := c.(interface{ base() *conn })
	return ok && s.base().own
}

// Left reports whether the client of a connection that a Greeter brought has closed it,
// though more of what it sent may stand there unread. Whoever sends on holds nothing.
func Left(c net.Conn) bool {
	s, ok := c.(interface{ base() *conn })
	return ok && s.base().hasLeft()
}

// Release lets everything through as it is, on a connection that a Greeter brought:
// it was hijacked and speaks another protocol from here on.
func Release(c net.Conn) {
	switch c := c.(type) {
	case *http1:
		c.Release()
	case *http1Secure:
		c.Release()
	}
}
