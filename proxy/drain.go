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
// are still served for the linger, then the doors close and everybody is told. Who
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
	serve(s.first, s.https.Exit(listen.HTTP1))
	s.second.run(serve)
	if s.http != nil {
		serve(s.plain, s.http.Exit(listen.HTTP1))
	}
	if l := s.sockets.Of(listen.Admin); l != nil {
		serve(s.admin, l)
	}
	for _, d := range s.doors() {
		group.Go(func() error { return d.Run(requests) })
	}
	group.Go(func() error {
		<-broken.Done()
		return s.drain(ctx, cut)
	})
	return group.Wait()
}

func (s *Server) doors() []*listen.Door {
	if s.http == nil {
		return []*listen.Door{s.https}
	}
	return []*listen.Door{s.https, s.http}
}

// drain ends everything, politely if ctx is why; else something is broken.
func (s *Server) drain(ctx context.Context, cut context.CancelCauseFunc) error {
	s.draining.Store(true)
	succeeded := errors.Is(context.Cause(ctx), ErrSucceeded)
	if ctx.Err() != nil && !succeeded && s.linger > 0 {
		s.log.Info("draining", zap.Duration("still accepting for", s.linger))
		timer := time.NewTimer(s.linger)
		defer timer.Stop()
		<-timer.C
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWait)
	defer cancel()
	if succeeded { // whose health is asked for now is the successor's
		_ = s.admin.Shutdown(late)
	}
	s.part(late, succeeded)
	if left := s.crowd.Cut(); left > 0 {
		s.log.Warn("connections cut at the end of the drain", zap.Int("connections", left))
	}
	cut(errCut)
	return s.close(late)
}

// part tells everybody, and returns when all have gone or it is late.
func (s *Server) part(late context.Context, succeeded bool) {
	s.parting.Store(true)
	for _, d := range s.doors() {
		d.Leave(succeeded)
	}
	ctx, gone := context.WithCancel(late)
	defer gone()
	var goodbyes sync.WaitGroup
	goodbyes.Go(func() { s.edge.Farewell(ctx) })
	goodbyes.Go(func() {
		s.greeted(ctx)
		_ = s.second.stop(func(server *http.Server) error { return server.Shutdown(ctx) }) // who is left is cut
	})
	s.crowd.Disperse(ctx, s.quiet)
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
			if s.crowd.Greeting() == 0 {
				return
			}
		}
	}
}

// close closes what is left: the doors, whose connections are gone, and last the
// admin address, since health is asked to the end.
func (s *Server) close(late context.Context) error {
	var errs []error
	for _, d := range s.doors() {
		errs = append(errs, d.Close())
	}
	errs = append(errs, s.first.Close(), s.second.stop((*http.Server).Close))
	if s.plain != nil {
		errs = append(errs, s.plain.Close())
	}
	if s.admin.Shutdown(late) != nil {
		errs = append(errs, s.admin.Close())
	}
	return errors.Join(errs...)
}
