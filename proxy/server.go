package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
)

// Limits of the listeners, all documented in docs/operations.md. An answer of
// the origin may take longer than writeWait as long as it moves.
const (
	headerWait = 10 * time.Second
	readWait   = 60 * time.Second
	writeWait  = 60 * time.Second
	idleWait   = 75 * time.Second
	maxHeader  = 32 << 10 // bytes
	maxStreams = 128      // of one HTTP/2 connection

	drainWait  = 25 * time.Second // for requests in flight
	certsEvery = time.Hour        // certificates are read anew: they are renewed on disk
)

// Server is the edge's listeners: HTTPS, the redirect to it, and the admin
// address. Listeners are open from NewServer on, so that a port in use is an
// error at the start, and port 0 can be asked for.
type Server struct {
	log      *zap.Logger
	linger   time.Duration
	acme     *acme // nil: certificates come from files
	certs    atomic.Pointer[tls.Config]
	hosts    atomic.Pointer[hosts]
	mu       sync.Mutex
	cfg      *configs.Config // whose certificates are served
	public   *http.Server
	https    net.Listener
	http     net.Listener // nil: none
	admin    net.Listener // nil: none
	servers  []listening
	draining atomic.Bool
}

type listening struct {
	server *http.Server
	on     net.Listener
}

// NewServer opens the listeners of a configuration. linger is how long a
// stopping server still accepts after readiness has failed, so that a balancer
// can notice.
func NewServer(cfg *configs.Config, edge http.Handler, admin http.Handler, linger time.Duration, log *zap.Logger) (*Server, error) {
	s := &Server{log: log.Named("server"), linger: linger}
	if cfg.TLS.Mode == configs.TLSACME {
		s.acme = newACME(cfg, publicAuthority, s.log)
	}
	if err := s.Apply(cfg); err != nil {
		return nil, err
	}
	s.public = s.newServer(edge)
	s.public.TLSConfig = &tls.Config{
		NextProtos:         []string{"h2", "http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.certs.Load(), nil },
	}
	s.public.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: maxStreams}

	var err error
	if s.https, err = s.listen("listen.https", cfg.Listen.HTTPS, s.public); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if cfg.Listen.HTTP != "" {
		if s.http, err = s.listen("listen.http", cfg.Listen.HTTP, s.newServer(s.plain(redirect(s.https.Addr(), s.ours)))); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if cfg.Listen.Admin != "" {
		if s.admin, err = s.listen("listen.admin", cfg.Listen.Admin, s.newServer(admin)); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

func (s *Server) newServer(h http.Handler) *http.Server {
	quiet, _ := zap.NewStdLogAt(s.log, zap.DebugLevel) // only unknown levels fail
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerWait,
		ReadTimeout:       readWait,
		WriteTimeout:      writeWait,
		IdleTimeout:       idleWait,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          quiet, // handshakes that strangers break off
	}
}

// plain is what plain HTTP gets: the challenges of an ACME server, else next.
func (s *Server) plain(next http.Handler) http.Handler {
	if s.acme == nil {
		return next
	}
	return s.acme.challenges(next)
}

func (s *Server) listen(key, addr string, server *http.Server) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	s.servers = append(s.servers, listening{server, l})
	return l, nil
}

// Close closes the listeners of a server that is not run. After Run, which has
// closed them, it does nothing.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.servers {
		if err := l.on.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Apply takes the domains over and reads the certificates anew; connections keep
// what they have.
func (s *Server) Apply(cfg *configs.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(cfg); err != nil {
		return err
	}
	names := newHosts(cfg.TLS.Domains)
	s.hosts.Store(&names)
	return nil
}

// ours are the names that the running configuration serves.
func (s *Server) ours() hosts { return *s.hosts.Load() }

// read is Apply, under the lock.
func (s *Server) read(cfg *configs.Config) error {
	if s.acme != nil {
		s.cfg = cfg
		s.certs.Store(s.acme.tlsConfig())
		return nil
	}
	certs, err := loadCertificates(cfg)
	if err != nil {
		return err
	}
	s.cfg = cfg
	s.certs.Store(tlsConfig(certs))
	return nil
}

// renew reads the certificates of the running configuration again. Those that
// cannot be read leave the ones in use in force.
func (s *Server) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(s.cfg); err != nil {
		s.log.Warn("certificates not read again, those in use are served on", zap.Error(err))
	}
}

// renewing renews until ctx is done.
func (s *Server) renewing(ctx context.Context) error {
	ticker := time.NewTicker(certsEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			s.renew()
		}
	}
}

// Addr is where HTTPS is served.
func (s *Server) Addr() net.Addr { return s.https.Addr() }

// HTTPAddr is where plain HTTP is sent on to HTTPS; nil when it is not.
func (s *Server) HTTPAddr() net.Addr { return addrOf(s.http) }

// AdminAddr is where the admin address is served; nil when it is not.
func (s *Server) AdminAddr() net.Addr { return addrOf(s.admin) }

func addrOf(l net.Listener) net.Addr {
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

// Run serves until ctx is done and then drains: readiness fails first, new
// requests are still served for the linger, then listeners close, requests in
// flight finish, and what is left after the deadline is cut.
func (s *Server) Run(ctx context.Context) error {
	group, broken := errgroup.WithContext(ctx)
	for _, l := range s.servers {
		group.Go(func() error {
			serve := func() error { return l.server.Serve(l.on) }
			if l.server == s.public {
				serve = func() error { return l.server.ServeTLS(l.on, "", "") }
			}
			if err := serve(); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve %s: %w", l.on.Addr(), err)
			}
			return nil
		})
	}
	group.Go(func() error { return s.renewing(broken) })
	if s.acme != nil {
		group.Go(func() error { return s.acme.run(broken) })
	}
	group.Go(func() error {
		<-broken.Done()
		return s.drain(ctx.Err() != nil)
	})
	return group.Wait()
}

func (s *Server) drain(politely bool) error {
	s.draining.Store(true)
	if politely && s.linger > 0 {
		s.log.Info("draining", zap.Duration("still accepting for", s.linger))
		timer := time.NewTimer(s.linger)
		defer timer.Stop()
		<-timer.C
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainWait)
	defer cancel()
	// The admin address closes last: health is asked to the end.
	for _, l := range s.servers {
		if err := l.server.Shutdown(ctx); err != nil {
			s.log.Warn("requests cut at the end of the drain", zap.Stringer("listener", l.on.Addr()), zap.Error(err))
			_ = l.server.Close() // what is left is cut
		}
	}
	return nil
}
