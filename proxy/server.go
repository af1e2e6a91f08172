package proxy

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/certs"
	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/listen"
)

// Limits of the listeners, documented in docs/operations.md but for idleBehind, which
// nobody meets. An answer of the origin may take longer than writeWait as long as it
// moves.
const (
	headerWait = 10 * time.Second
	readWait   = 60 * time.Second
	writeWait  = 60 * time.Second
	idleWait   = 75 * time.Second
	idleBehind = 24 * time.Hour // of who serves HTTP/2 behind the lane, which knows who is idle
	maxStreams = 128            // of one HTTP/2 connection
	maxFrame   = 16384          // bytes of one of its frames
)

// The keys of its sockets.
const (
	keyHTTPS = "listen.https"
	keyHTTP  = "listen.http"
	keyAdmin = "listen.admin"
)

// Server is the edge's listeners: HTTPS, the redirect to it, and the admin
// address.
type Server struct {
	log     *zap.Logger
	express bool // the lane is open
	linger  time.Duration
	edge    *Edge
	keeper  *certs.Keeper
	sockets listen.Sockets
	conns   *listen.Connections
	hosts   atomic.Pointer[hosts]

	https *listen.Greeter
	http  *listen.Greeter // nil: none
	http1 *http.Server    // over TLS
	http2 *turns
	plain *http.Server // what comes through http
	admin *http.Server

	quiet     time.Duration  // see drain
	draining  atomic.Bool    // readiness has failed
	accepting sync.WaitGroup // Greeters that run
	parting   atomic.Bool    // connections end with the answer that is due
	parted    atomic.Bool    // over HTTP/2 nobody can ask any more
	atRest    chan struct{}  // see AtRest
}

// Sockets are those that the Server of a configuration wants.
func Sockets(cfg *configs.Config) listen.Sockets {
	all := listen.Sockets{{Key: keyHTTPS, At: cfg.Listen.HTTPS}}
	if cfg.Listen.HTTP != "" {
		all = append(all, listen.Socket{Key: keyHTTP, At: cfg.Listen.HTTP})
	}
	if cfg.Listen.Admin != "" {
		all = append(all, listen.Socket{Key: keyAdmin, At: cfg.Listen.Admin})
	}
	return all
}

// NewServer makes the servers of an edge behind its Sockets, which are open. memory is
// how many bytes the program may take, of which connections get their share (see
// listen.NewConnections). linger is how long a stopping server still accepts after readiness has failed,
// so that a balancer can notice.
func NewServer(cfg *configs.Config, sockets listen.Sockets, keeper *certs.Keeper, edge *Edge, admin http.Handler, memory uint64, linger time.Duration, log *zap.Logger) *Server {
	s := &Server{
		log: log.Named("server"), express: cfg.Listen.Express, linger: linger, edge: edge, keeper: keeper, sockets: sockets,
		conns: listen.NewConnections(memory, edge.metrics.conns.turnAway, log), quiet: quietWait, atRest: make(chan struct{}),
	}
	edge.metrics.conns.watch(s.conns)
	if cfg.Embedded() {
		s.quiet = quietAlone
	}
	public, terms := s.public(edge), termsOf(cfg)
	s.https = listen.NewGreeter(sockets.Of(keyHTTPS), keeper.TLS(), terms, s.conns, s.lane(cfg), edge.metrics.refuse, log)
	s.http1 = s.newServer(public, configs.MostHeader)
	s.http2 = &turns{greeter: s.https, build: func(header int) *http.Server { return s.newHTTP2(public, header) }}
	s.admin = s.newServer(admin, configs.MostHeader)
	s.admin.SetKeepAlivesEnabled(false) // it is asked seldom, and nobody is cut who was just asking again
	if socket := sockets.Of(keyHTTP); socket != nil {
		s.http = listen.NewGreeter(socket, nil, terms, s.conns, nil, edge.metrics.refuse, log)
		s.plain = s.newServer(s.politely(keeper.Challenges(redirect(s.Addr(), s.ours))), configs.MostHeader)
	}
	s.Apply(cfg)
	return s
}

// lane answers what lies ready before a server is needed; nil: nothing is answered so.
func (s *Server) lane(cfg *configs.Config) *express.Lane {
	if !cfg.Listen.Express {
		return nil
	}
	times := express.Times{Head: headerWait, Idle: idleWait, Write: writeWait}
	return express.New(s.edge, times, maxStreams, s.parting.Load)
}

// termsOf are what the Greeters ask of connections.
func termsOf(cfg *configs.Config) listen.Terms {
	return listen.Terms{Proxies: cfg.TrustedProxies, Announced: cfg.Listen.ProxyProtocol, Header: int(cfg.Limits.Header)}
}

// newServer is one that serves HTTP/1, within a bound of bytes for a header. Fewer
// may be let through to it.
func (s *Server) newServer(h http.Handler, header int) *http.Server {
	quiet, _ := zap.NewStdLogAt(s.log, zap.DebugLevel) // only unknown levels fail
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           h,
		Protocols:         protocols,
		ReadHeaderTimeout: headerWait,
		ReadTimeout:       readWait,
		WriteTimeout:      writeWait,
		IdleTimeout:       idleWait,
		MaxHeaderBytes:    header,
		ErrorLog:          quiet, // connections that strangers break off
		ConnContext:       withWayIn,
		ConnState:         s.noteState,

		DisableGeneralOptionsHandler: true, // OPTIONS * is the shop's to answer
	}
}

// newHTTP2 is one that serves HTTP/2 alone. net/http calls it unencrypted, since
// TLS ends before it (see listen).
func (s *Server) newHTTP2(h http.Handler, header int) *http.Server {
	server := s.newServer(h, header)
	server.Protocols = &http.Protocols{}
	server.Protocols.SetUnencryptedHTTP2(true)
	if s.express {
		server.IdleTimeout = idleBehind
	}
	server.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: maxStreams, MaxReadFrameSize: maxFrame}
	return server
}

// noteState tells the connections who may go when it is too large, and lets through what
// is no HTTP any more.
func (s *Server) noteState(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateActive:
		s.conns.Busy(c, true)
	case http.StateNew, http.StateIdle:
		s.conns.Busy(c, false)
	case http.StateHijacked:
		listen.Release(c)
	}
}

// Apply takes over the domains, whose word about clients counts, and the bounds of
// a header; connections keep what they have.
func (s *Server) Apply(cfg *configs.Config) {
	names := newHosts(cfg.TLS.Domains)
	s.hosts.Store(&names)
	terms := termsOf(cfg)
	s.https.Apply(terms)
	if s.http != nil {
		s.http.Apply(terms)
	}
	s.http2.turn(terms.Header)
}

// ours are the names that the running configuration serves.
func (s *Server) ours() hosts { return *s.hosts.Load() }

// Addr is where HTTPS is served.
func (s *Server) Addr() net.Addr { return addrOf(s.sockets.Of(keyHTTPS)) }

// HTTPAddr is where plain HTTP is sent on to HTTPS; nil when it is not.
func (s *Server) HTTPAddr() net.Addr { return addrOf(s.sockets.Of(keyHTTP)) }

// AdminAddr is where the admin address is served; nil when it is not.
func (s *Server) AdminAddr() net.Addr { return addrOf(s.sockets.Of(keyAdmin)) }

func addrOf(l *net.TCPListener) net.Addr {
	if l == nil {
		return nil
	}
	return l.Addr()
}

// Ready fails once the server drains.
func (s *Server) Ready() error {
	if s.draining.Load() {
		return errors.New("draining")
	}
	return nil
}
