package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/waitroom/waitroom/proxy/listen"
)

type secureKey struct{}

// withSecure keeps what TLS a connection is on, where net/http does not see it.
func withSecure(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, secureKey{}, listen.Secure(c))
}

// public is the handler of what comes over TLS.
func (s *Server) public(edge http.Handler) http.Handler {
	next := s.politely(edge)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil {
			r.TLS, _ = r.Context().Value(secureKey{}).(*tls.ConnectionState)
		}
		next.ServeHTTP(w, r)
	})
}
