package origin

import (
	"cmp"
	"context"
	"crypto/x509"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// mostSlots is how many requests are at one server at once, streams and upgraded
// ones too: as many as common servers take with what they are set to, and more than
// any of them works on at the same time.
const mostSlots = 512

// firstSlots are those of them that only requests take that come first, see First.
const firstSlots = mostSlots / 8

// server is one of the storefront's.
type server struct {
	pool   *Pool
	url    *url.URL
	opener *opener
	slots  chan struct{} // as many as there are requests in those for anybody
	first  chan struct{} // the same, in those for who comes first
	opens  chan struct{} // held by who opens a connection that others may share

	mu     sync.Mutex
	health health
	kept   []*conn            // of HTTP/1.1, the newest last
	shared []*conn            // of HTTP/2
	bodies map[*body]struct{} // of answers that hold a slot
}

func newServer(p *Pool, u *url.URL, roots *x509.CertPool, timeout time.Duration) *server {
	return &server{
		pool: p, url: u, opener: newOpener(newAddress(u), roots, timeout),
		slots: make(chan struct{}, mostSlots-firstSlots), first: make(chan struct{}, firstSlots),
		opens:  make(chan struct{}, 1),
		bodies: map[*body]struct{}{},
	}
}

// send makes one attempt. With an answer the slot is held by its body;
// without one it is still the caller's.
func (s *server) send(c *call) (*http.Response, error) {
	c.reached, c.kept = false, false
	c.sent.Store(false)
	c.heard.Store(false)
	k, err := s.connection(c.req.Context(), c)
	if err != nil {
		s.unanswered(c, err)
		return nil, err
	}
	c.reached, c.kept, c.began = true, k.used.Swap(true), time.Now()
	resp, err := s.ask(c, k)
	if err != nil {
		s.giveBack(k, 0)
		s.unanswered(c, err)
		return nil, err
	}
	s.answered()
	c.done = true
	s.lease(c, k, resp)
	return resp, nil
}

// ask sends a request over a connection.
func (s *server) ask(c *call, k *conn) (*http.Response, error) {
	if k.http2 {
		return k.RoundTrip(c.attempt(s.opener.address, k))
	}
	k.last = c.req.Method == http.MethodHead // some servers send its body all the same, in their own time
	if k.direct != nil {
		return k.direct.ask(c)
	}
	k.wire.wake()
	written, read := k.wire.written.Load(), k.wire.read.Load()
	resp, err := k.RoundTrip(c.attempt(s.opener.address, k))
	c.sent.Store(k.wire.written.Load() > written)
	c.heard.Store(k.wire.read.Load() > read)
	return resp, err
}

// connection is one on which a request can be sent now.
func (s *server) connection(ctx context.Context, c *call) (*conn, error) {
	if k := s.take(c.upgrade, c.plain, c.fresh); k != nil {
		return s.fitted(ctx, c, k)
	}
	if !c.upgrade && s.opener.mayShare() {
		select {
		case s.opens <- struct{}{}:
			defer func() { <-s.opens }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if k := s.take(c.upgrade, c.plain, c.fresh); k != nil {
			return s.fitted(ctx, c, k)
		}
	}
	k, err := s.opener.open(ctx, c.upgrade, c.plain)
	if err != nil {
		return nil, err
	}
	if k.http2 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.shared = append(s.shared, k)
	}
	return k, nil
}

// fitted makes a kept connection one that carries the request.
func (s *server) fitted(ctx context.Context, c *call, k *conn) (*conn, error) {
	if k.direct == nil || c.plain {
		return k, nil
	}
	return k, s.opener.standard(ctx, k, k.direct.Conn)
}

// fit reports whether a server is to be tried in its turn. first is whether it
// would be the first: then a server whose time is up is tried by this request and
// no other, if that is one which, lost, can be made again.
func (s *server) fit(now time.Time, first, repeatable bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.health.away(now) || s.health.doubtful() && !repeatable {
		return false
	}
	if first {
		s.health.probe(now)
	}
	return true
}

func (s *server) passedOver(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health.away(now)
}

func (s *server) answered() {
	s.mu.Lock()
	back := s.health.answers()
	s.mu.Unlock()
	if back {
		s.pool.log.Info("origin answers again", zap.Stringer("url", s.url))
	}
}

// unanswered notes an attempt that failed, unless it was the shopper who left soon or
// whose body broke off, or the server that had let go of a kept connection.
func (s *server) unanswered(c *call, err error) {
	if c.body.isBroken() {
		return
	}
	left, now := c.req.Context().Err() != nil, time.Now()
	if left && !c.leftWaiting(now) || !left && (c.kept && !isTimeout(err) || c.reached && c.untouched(err)) {
		return
	}
	s.mu.Lock()
	var away bool
	if left {
		away = s.health.leaves(now)
	} else {
		away = s.health.fails(now, c.reached)
	}
	span := s.health.until.Sub(now)
	s.mu.Unlock()
	if away {
		s.pool.log.Warn("origin does not answer", zap.Stringer("url", s.url), zap.Duration("passed_over", span), zap.Error(err))
	}
}

func bySoonest(servers []*server) []*server {
	slices.SortStableFunc(servers, func(a, b *server) int {
		return cmp.Compare(a.until().UnixNano(), b.until().UnixNano())
	})
	return servers
}

func (s *server) until() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health.until
}
