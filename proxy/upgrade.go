package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// keepUpgrade leaves a wish to change protocols standing if it is one that says
// nothing of HTTP or TLS: whoever got those from the origin would ask it past all
// that is decided here (RFC 9113, 3.1: h2c is no more).
func keepUpgrade(h http.Header) {
	h.Del("Http2-Settings")
	protocol := h.Get("Upgrade")
	name, _, _ := strings.Cut(strings.ToLower(protocol), "/")
	if protocol == "" || strings.Contains(protocol, ",") || strings.HasPrefix(name, "h2") || strings.HasPrefix(name, "h3") || name == "http" || name == "tls" {
		h.Del("Upgrade")
		h.Del("Connection")
	}
}

// upgrade makes a tunnel of the answer to a request to change protocols. Who did
// not ask for the one that the origin changed to gets none.
func (s *stream) upgrade(resp *http.Response, all *tunnels) error {
	asked, got := resp.Request.Header.Get("Upgrade"), resp.Header.Get("Upgrade")
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || asked == "" || !strings.EqualFold(asked, got) {
		return fmt.Errorf("origin changed to the protocol %q, asked for was %q", cut(got), cut(asked))
	}
	t := &tunnel{all: all, webSocket: strings.EqualFold(got, "websocket"), over: make(chan struct{})}
	t.origin = &side{ReadWriteCloser: conn, tunnel: t, bye: goingAwayMasked}
	s.lookAway()
	s.tunnel, resp.Body = t, t.origin
	return nil
}

// Hijack is how the standard proxy gets at the shopper's connection.
func (s *stream) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := s.control.Hijack()
	if err != nil || s.tunnel == nil {
		return conn, rw, err
	}
	t := s.tunnel
	t.shopper = &side{ReadWriteCloser: &hijacked{conn, rw.Reader}, tunnel: t, bye: goingAway}
	return &shopperConn{conn, t.shopper}, rw, nil
}

// hijacked is the shopper's connection, and what was read of it already.
type hijacked struct {
	net.Conn
	early *bufio.Reader
}

func (h *hijacked) Read(b []byte) (int, error) {
	if n := h.early.Buffered(); n > 0 {
		return h.early.Read(b[:min(n, len(b))])
	}
	return h.Conn.Read(b)
}

func (h *hijacked) Write(b []byte) (int, error) {
	_ = h.SetWriteDeadline(time.Now().Add(streamStall)) // fails on closed ones alone, as Write will
	return h.Conn.Write(b)
}

func (h *hijacked) CloseWrite() error {
	if half, ok := h.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// shopperConn is a tunnel's end with the addresses and deadlines of a connection.
type shopperConn struct {
	net.Conn
	*side
}

// The end is read and written, not the connection.
func (c *shopperConn) Read(b []byte) (int, error)  { return c.side.Read(b) }
func (c *shopperConn) Write(b []byte) (int, error) { return c.side.Write(b) }
func (c *shopperConn) Close() error                { return c.side.Close() }
