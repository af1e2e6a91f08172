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

// politely lets a connection over HTTP/1 end with the answer that is due, once the
// server parts. Over HTTP/2 a frame says so.
func (s *Server) politely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			next.ServeHTTP(w, r)
			return
		}
		p := &parting{ResponseWriter: w, server: s}
		next.ServeHTTP(p, r)
		if !p.begun {
			p.part()
		}
	})
}

// parting is where an answer says that it is the last on its connection.
type parting struct {
	http.ResponseWriter
	server *Server
	begun  bool
}

func (p *parting) part() {
	if p.server.parting.Load() {
		p.Header().Set("Connection", "close")
	}
}

func (p *parting) WriteHeader(status int) {
	if status >= 200 && !p.begun {
		p.begun = true
		p.part()
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *parting) Write(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.part()
	}
	return p.ResponseWriter.Write(b)
}

// Flush begins an answer that has no body yet. Unwrap is for all else.
func (p *parting) FlushError() error {
	if !p.begun {
		p.begun = true
		p.part()
	}
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (p *parting) Unwrap() http.ResponseWriter { return p.ResponseWriter }
