package listen

import (
	"crypto/tls"
	"net"
	"strings"
	"time"

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/framing"
)

// screened2 is a connection over HTTP/2 that is read strictly: framing's, or the lane's.
type screened2 interface {
	net.Conn
	Goodbye()
}

// http2 is a connection that speaks HTTP/2. It hides what TLS it is on, for
// net/http serves HTTP/2 on other connections than its own kind of TLS only where
// it sees none.
type http2 struct {
	screened2
	under   *conn
	greeter *Greeter
	state   tls.ConnectionState
}

func (g *Greeter) newHTTP2(c *conn, secure *tls.Conn, state tls.ConnectionState, terms *Terms) *http2 {
	h := &http2{under: c, greeter: g, state: state}
	if g.lane == nil {
		h.screened2 = framing.ScreenHTTP2(secure, terms.Header, g.refused)
	} else {
		h.screened2 = g.lane.HTTP2(secure, state.ServerName, terms.Header, g.refused, func(*express.HTTP2) express.Place { return h })
	}
	g.http2.Store(h, nil)
	if g.leaving.Load() {
		h.Goodbye()
	}
	return h
}

// prohibited reports whether TLS is too weak for HTTP/2 (RFC 9113, 9.2.2): of 1.2
// it takes the ciphers alone that authenticate what they encrypt, under keys that
// are forgotten.
func prohibited(state tls.ConnectionState) bool {
	if state.Version >= tls.VersionTLS13 {
		return false
	}
	name := tls.CipherSuiteName(state.CipherSuite)
	sealed := strings.Contains(name, "_GCM_") || strings.Contains(name, "_CHACHA20_POLY1305")
	return !sealed || !strings.HasPrefix(name, "TLS_ECDHE_")
}

func (h *http2) base() *conn { return h.under }

// Close closes it, and nobody says goodbye there any more.
func (h *http2) Close() error {
	h.greeter.http2.Delete(h)
	return h.screened2.Close()
}

// Read is guarded: the lane answers in it.
func (h *http2) Read(p []byte) (n int, err error) {
	defer guard(h.greeter.log, h, &err)
	return h.screened2.Read(p)
}

// Write is guarded, as Read.
func (h *http2) Write(p []byte) (n int, err error) {
	defer guard(h.greeter.log, h, &err)
	return h.screened2.Write(p)
}

// Stirred says that it was not idle at an instant.
func (h *http2) Stirred(now time.Time) { h.under.stirred.Store(now.UnixNano()) }

// await lets the lane answer as long as it can.
func (h *http2) await() error {
	if lane, ok := h.screened2.(*express.HTTP2); ok {
		return lane.Await()
	}
	return nil
}

// part ends it, if no server has it.
func (h *http2) part() {
	if lane, ok := h.screened2.(*express.HTTP2); ok {
		lane.Part()
	}
}
