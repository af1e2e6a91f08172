package listen

import (
	"crypto/tls"
	"strings"

	"github.com/waitroom/waitroom/proxy/framing"
)

// http2 is a connection that speaks HTTP/2. It hides what TLS it is on, for
// net/http serves HTTP/2 on other connections than its own kind of TLS only where
// it sees none.
type http2 struct {
	*framing.HTTP2
	under   *conn
	greeter *Greeter
	state   tls.ConnectionState
}

func (g *Greeter) newHTTP2(c *conn, secure *tls.Conn, state tls.ConnectionState, terms *Terms) *http2 {
	h := &http2{HTTP2: framing.ScreenHTTP2(secure, terms.Header, g.refused), under: c, greeter: g, state: state}
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
	return h.HTTP2.Close()
}
