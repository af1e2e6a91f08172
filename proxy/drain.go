package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/proxy/listen"
)

const (
	drainWait  = 25 * time.Second // for requests in flight
	quietWait  = 5 * time.Second  // an idle connection waits for its next request; see docs/operations.md
	quietAlone = time.Second      // the same, where a successor waits for the books
	lastStream = time.Second      // between "ask no more" over HTTP/2 and the last stream
)

// ErrSucceeded is the cause of a context that is done since another instance serves
// the same sockets: nothing has to be said to a balancer.
var ErrSucceeded = errors.New("another instance has taken over")

// errCut is the cause of requests that end with the drain.
var errCut = errors.New("cut at the end of the drain")

// Run serves until ctx is done and then drains: readiness fails first, new requests
// are still served for the linger, then the sockets close and everybody is told. Who
// has a request under way gets the answer; who is idle may send one more. What is
// left after the deadline is cut.
func (s *Server) Run(ctx context.Context) error {
	group, broken := errgroup.WithContext(ctx)
	requests, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	serve := func(server *http.Server, l net.Listener) {
		server.BaseContext = func(net.Listener) context.Context { return requests }
		group.Go(func() error {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("serve %s: %w", l.Addr(), err)
			}
			return nil
		})
	}
	serve(s.http1, s.https.Exit(listen.HTTP1))
	s.http2.run(serve)
	if s.http != nil {
		serve(s.plain, s.http.Exit(listen.HTTP1))
	}
	if l := s.sockets.Of(keyAdmin); l != nil {
		serve(s.admin, l)
	}
	for _, g := range s.greeters() {
		s.accepting.Add(1)
		group.Go(func() error {
			defer s.accepting.Done()
			return g.Run(requests)
		})
	}
	group.Go(func() error {
		<-broken.Done()
		return s.drain(ctx, cut)
	})
	return group.Wait()
}

func (s *Server) greeters() []*listen.Greeter {
	if s.http == nil {
		return []*listen.Greeter{s.https}
	}
	return []*listen.Greeter{s.https, s.http}
}

// drain ends everything, politely if ctx is why; else something is broken.
func (s *Server) drain(ctx context.Context, cut context.CancelCauseFunc) error {
	s.draining.Store(true)
	succeeded := errors.Is(context.Cause(ctx), ErrSucceeded)
	if ctx.Err() != nil && !succeeded && s.linger > 0 {
		s.log.Info("draining", zap.Duration("linger", s.linger))
		timer := time.NewTimer(s.linger)
		defer timer.Stop()
		<-timer.C
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWait)
	defer cancel()
	s.part(late, succeeded)
	if left := s.conns.Cut(); left > 0 {
		s.log.Warn("connections cut at the end of the drain", zap.Int("connections", left))
	}
	cut(errCut)
	return s.close(late)
}

// part tells everybody, and returns when all have gone or it is late.
func (s *Server) part(late context.Context, succeeded bool) {
	s.parting.Store(true)
	for _, g := range s.greeters() {
		g.Leave(succeeded)
	}
	s.accepting.Wait() // who waits in a queue is one of those who are to go
	ctx, gone := context.WithCancel(late)
	defer gone()
	var goodbyes sync.WaitGroup
	if succeeded { // whose health is asked for now is the successor's
		goodbyes.Go(func() {
			_ = s.admin.Shutdown(ctx) // who is left is cut
			s.rest(ctx)
		})
	}
	goodbyes.Go(func() { s.edge.Farewell(ctx) })
	goodbyes.Go(func() {
		s.greeted(ctx)
		s.parted.Store(true)
		s.https.Part()
		_ = s.http2.stop(func(server *http.Server) error { return server.Shutdown(ctx) }) // who is left is cut
	})
	s.conns.Disperse(ctx, s.quiet)
	gone()
	goodbyes.Wait()
}

// greeted waits until everybody over HTTP/2 has heard that streams end here, and
// nobody is in the handshake any more, for as long as others may be idle.
func (s *Server) greeted(late context.Context) {
	quiet := time.NewTimer(max(s.quiet, lastStream))
	defer quiet.Stop()
	ticker := time.NewTicker(lastStream)
	defer ticker.Stop()
	for {
		select {
		case <-late.Done():
			return
		case <-quiet.C:
			return
		case <-ticker.C:
			if s.conns.Greeting() == 0 {
				return
			}
		}
	}
}

// close closes what is left: the Greeters, whose connections are gone, and last the
// admin address, since health is asked to the end unless a successor answers for it.
func (s *Server) close(late context.Context) error {
	var errs []error
	for _, g := range s.greeters() {
		errs = append(errs, g.Close())
	}
	errs = append(errs, s.http1.Close(), s.http2.stop((*http.Server).Close))
	if s.plain != nil {
		errs = append(errs, s.plain.Close())
	}
	if s.admin.Shutdown(late) != nil {
		errs = append(errs, s.admin.Close())
	}
	return errors.Join(errs...)
}
