package proxy

import "net/http"

// politely lets a connection over HTTP/1 end with the answer that is due, once the
// server parts. net/http would say so too (SetKeepAlivesEnabled), but closes idle
// connections at once, on which a request may be on its way. Over HTTP/2 a frame
// says so.
func (s *Server) politely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			next.ServeHTTP(w, r)
			return
		}
		p := &parting{ResponseWriter: w, server: s}
		next.ServeHTTP(p, r)
		p.begin()
	})
}

// parting is where an answer says that it is the last on its connection.
type parting struct {
	http.ResponseWriter
	server *Server
	begun  bool
}

// begin is before the first byte of an answer.
func (p *parting) begin() {
	if !p.begun && p.server.parting.Load() {
		p.Header().Set("Connection", "close")
	}
	p.begun = true
}

func (p *parting) WriteHeader(status int) {
	if status >= 200 {
		p.begin()
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *parting) Write(b []byte) (int, error) {
	p.begin()
	return p.ResponseWriter.Write(b)
}

// FlushError begins an answer that has no body yet.
func (p *parting) FlushError() error {
	p.begin()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (p *parting) Unwrap() http.ResponseWriter { return p.ResponseWriter }
