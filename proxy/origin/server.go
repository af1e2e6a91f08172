package origin

import (
	"cmp"
	"context"
	"crypto/x509"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	mostPlaces = 512             // requests at one server at once, streams and upgraded ones too
	mostKept   = 256             // connections of HTTP/1.1 that wait for a request
	idleKeep   = 4 * time.Second // they do so for so long: below the 5 s at which common servers hang up
)

// server is one of the storefront's.
type server struct {
	pool   *Pool
	url    *url.URL
	opener *opener
	places chan struct{} // as many as there are requests
	door   chan struct{} // held by who opens a connection that others may share

	mu     sync.Mutex
	health health
	kept   []*conn // of HTTP/1.1, the newest last
	shared []*conn // of HTTP/2
}

func newServer(p *Pool, u *url.URL, roots *x509.CertPool, timeout time.Duration) *server {
	return &server{
		pool: p, url: u, opener: newOpener(newAddress(u), roots, timeout),
		places: make(chan struct{}, mostPlaces), door: make(chan struct{}, 1),
	}
}

// leave gives a place back.
func (s *server) leave() { <-s.places }

// send makes one attempt. With an answer the place is held until its body is
// closed; without one it is still the caller's.
func (s *server) send(c *call) (*http.Response, error) {
	c.reached, c.kept = false, false
	c.sent.Store(false)
	c.heard.Store(false)
	k, err := s.connection(c.req.Context(), c.upgrade, c.fresh)
	if err != nil {
		s.unanswered(c, err)
		return nil, err
	}
	c.reached, c.kept = true, k.used
	k.used = true
	written, read := k.wire.written.Load(), k.wire.read.Load()
	resp, err := k.RoundTrip(c.attempt(s.opener.address, k))
	if !k.http2 {
		c.sent.Store(k.wire.written.Load() > written)
		c.heard.Store(k.wire.read.Load() > read)
	}
	if err != nil {
		s.giveBack(k, 0)
		s.unanswered(c, err)
		return nil, err
	}
	s.answered()
	c.done = true
	s.lease(k, resp)
	return resp, nil
}

// connection is one on which a request can be sent now.
func (s *server) connection(ctx context.Context, http1, fresh bool) (*conn, error) {
	if k := s.take(http1, fresh); k != nil {
		return k, nil
	}
	if !http1 && s.opener.mayShare() {
		select {
		case s.door <- struct{}{}:
			defer func() { <-s.door }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if k := s.take(http1, fresh); k != nil {
			return k, nil
		}
	}
	k, err := s.opener.open(ctx, http1)
	if err != nil {
		return nil, err
	}
	if err := k.Reserve(); err != nil {
		_ = k.Close()
		return nil, err
	}
	if k.http2 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.shared = append(s.shared, k)
	}
	return k, nil
}

// take is a connection that is there, reserved, or nil. The newest goes first, so
// that those that are not needed grow old.
func (s *server) take(http1, fresh bool) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = slices.DeleteFunc(s.shared, func(k *conn) bool { return k.Err() != nil })
	if !http1 {
		for _, k := range s.shared {
			if k.Reserve() == nil {
				return k
			}
		}
	}
	for i := len(s.kept) - 1; i >= 0 && !fresh; i-- {
		k := s.kept[i]
		if k.http1 && !http1 {
			continue
		}
		s.kept = slices.Delete(s.kept, i, i+1)
		if k.expiry.Stop() && quiet(k.wire.Conn) && k.Reserve() == nil {
			return k
		}
		_ = k.Close()
	}
	return nil
}

// giveBack keeps a connection of HTTP/1.1 for the next request, if it can carry
// one; hint is how long the server says that it keeps it, 0 if it does not.
func (s *server) giveBack(k *conn, hint time.Duration) {
	if k.http2 {
		return
	}
	keep := idleKeep
	if hint > 0 {
		keep = min(keep, hint-time.Second)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.Available() == 0 || keep <= 0 || len(s.kept) >= mostKept || s.pool.closed.Load() {
		_ = k.Close()
		return
	}
	k.expiry = time.AfterFunc(keep, func() { s.expire(k) })
	s.kept = append(s.kept, k)
}

func (s *server) expire(k *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = slices.DeleteFunc(s.kept, func(other *conn) bool { return other == k })
	_ = k.Close()
}

// keepHint is how long a server says that it keeps an idle connection; 0 if it
// does not.
func keepHint(h http.Header) time.Duration {
	for part := range strings.SplitSeq(h.Get("Keep-Alive"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if n, err := strconv.ParseUint(value, 10, 16); err == nil && strings.EqualFold(name, "timeout") {
			return max(time.Duration(n)*time.Second, 1)
		}
	}
	return 0
}

// dropKept closes what is not in use.
func (s *server) dropKept() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		k.expiry.Stop()
		_ = k.Close()
	}
	s.kept = nil
	for _, k := range s.shared {
		if k.InFlight() == 0 {
			_ = k.Close()
		}
	}
}

// fit reports whether a server is to be tried in its turn. first is whether it
// would be the first: then a server whose time is up is tried by this request and
// no other.
func (s *server) fit(now time.Time, first bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.health.away(now) {
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

// unanswered notes an attempt that failed, unless it was the shopper who left or
// the server that had let go of a kept connection.
func (s *server) unanswered(c *call, err error) {
	if c.req.Context().Err() != nil || c.kept && !isTimeout(err) || c.reached && c.untouched(err) {
		return
	}
	s.mu.Lock()
	now := time.Now()
	away := s.health.fails(now, c.reached)
	span := s.health.until.Sub(now)
	s.mu.Unlock()
	if away {
		s.pool.log.Warn("origin does not answer", zap.Stringer("url", s.url), zap.Duration("passed over for", span), zap.Error(err))
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
