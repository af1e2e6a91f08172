package proxy

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	restEvery = 20 * time.Millisecond  // a look whether all is at rest
	restLong  = 200 * time.Millisecond // it has to last: a request that has come is not counted at once
)

// asking counts the requests under way that may ask line and gate: each, until it is
// known to be one for the origin.
type asking struct{ n atomic.Int64 }

// enter counts a request in. Its end counts it out, once however often it is called.
func (a *asking) enter() (end func()) {
	a.n.Add(1)
	var ended atomic.Bool
	return func() {
		if ended.CompareAndSwap(false, true) {
			a.n.Add(-1)
		}
	}
}

// AtRest is closed once no request will ask line and gate any more, after another
// instance has taken over: those that did have ended, and nobody is left who could
// send one. What the origin answers may still be under way.
func (s *Server) AtRest() <-chan struct{} { return s.atRest }

// rest waits until all is at rest, or ctx is done, when nobody is left at all.
func (s *Server) rest(ctx context.Context) {
	ticker := time.NewTicker(restEvery)
	defer ticker.Stop()
	for since := time.Now(); time.Since(since) < restLong; {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if !s.parted.Load() || s.edge.asking.n.Load() > 0 || !s.conns.Served() {
				since = now
			}
		}
	}
	s.http1.SetKeepAlivesEnabled(false) // who gets an answer has heard of no end
	if s.plain != nil {
		s.plain.SetKeepAlivesEnabled(false)
	}
	close(s.atRest)
}
