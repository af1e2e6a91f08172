package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/waitroom/waitroom/proxy/listen"
)

type wayInKey struct{}

// wayIn is what of a connection net/http does not see.
type wayIn struct {
	tls *tls.ConnectionState // nil: plain, or net/http sees it
	own bool                 // a proxy's, see listen.Own
	by  net.Conn
}

func withWayIn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, wayInKey{}, wayIn{listen.Secure(c), listen.Own(c), c})
}

func wayInOf(r *http.Request) wayIn {
	in, _ := r.Context().Value(wayInKey{}).(wayIn)
	return in
}

// public is the handler of what comes over TLS. Over HTTP/2 many requests come on one
// connection, so they are counted: each costs what a connection costs.
func (s *Server) public(edge http.Handler) http.Handler {
	next := s.politely(edge)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := wayInOf(r)
		if r.TLS == nil {
			r.TLS = in.tls
		}
		if r.ProtoMajor == 2 {
			if !s.conns.Begin(in.by) {
				s.edge.overload(w, r)
				return
			}
			defer s.conns.End(in.by)
		}
		next.ServeHTTP(w, r)
	})
}
