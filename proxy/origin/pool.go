package origin

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

// ErrBusy is a request that found all servers as busy as they may be and no place
// at one of them in time.
var ErrBusy = errors.New("no connection to the origin is free")

// ErrKept is a request that was not sent again after a server closed the kept
// connection on which it went out.
var ErrKept = errors.New("origin closed a kept connection as the request went out, keep connections there for more than " + idleKeep.String())

// placeWait is how long a request waits for a place at a server; above the time
// of two dials.
const placeWait = 15 * time.Second

// Pool is the servers of the storefront, in turn. It is safe for concurrent use.
type Pool struct {
	log     *zap.Logger
	servers []*server
	turns   atomic.Uint64
	closed  atomic.Bool
}

// New makes the pool of a valid section. It opens no connection; it fails when
// the file of who vouches for https cannot be read.
func New(section configs.Origin, log *zap.Logger) (*Pool, error) {
	roots, err := readRoots(section.CARoot)
	if err != nil {
		return nil, err
	}
	p := &Pool{log: log.Named("origin")}
	for _, u := range section.URLs {
		p.servers = append(p.servers, newServer(p, u, roots, section.Timeout))
	}
	return p, nil
}

// RoundTrip sends a request to one of the servers, whatever host its URL names,
// and to another one where that is provably no second time. The fields that it is
// about are sent as they are, the target as URL.RequestURI gives it. It fails with
// ErrBusy, ErrKept, or what went wrong with the last server that was tried.
func (p *Pool) RoundTrip(req *http.Request) (*http.Response, error) {
	c := newCall(req)
	defer c.settle()
	var err error
	for rest := p.order(time.Now()); len(rest) > 0; {
		var s *server
		if s, err = place(req.Context(), rest); err != nil {
			return nil, err
		}
		var resp *http.Response
		if resp, err = s.send(c); err == nil {
			resp.Request = req
			return resp, nil
		}
		s.leave()
		switch c.next(err) {
		case again:
		case elsewhere:
			rest = without(rest, s)
		case nowhere:
			return nil, c.cause(err)
		}
	}
	return nil, c.cause(err)
}

// order is the servers as they are to be tried: in turn, and those that are passed
// over last, the one whose time is soonest up first.
func (p *Pool) order(now time.Time) []*server {
	n := len(p.servers)
	first := int(p.turns.Add(1) % uint64(n))
	order, away := make([]*server, 0, n), []*server(nil)
	for i := range n {
		s := p.servers[(first+i)%n]
		if s.fit(now, len(order) == 0) {
			order = append(order, s)
		} else {
			away = append(away, s)
		}
	}
	return append(order, bySoonest(away)...)
}

// place takes a place at the first server that has one; where none has, it waits
// at the first.
func place(ctx context.Context, servers []*server) (*server, error) {
	for _, s := range servers {
		select {
		case s.places <- struct{}{}:
			return s, nil
		default:
		}
	}
	timer := time.NewTimer(placeWait)
	defer timer.Stop()
	select {
	case servers[0].places <- struct{}{}:
		return servers[0], nil
	case <-timer.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func without(servers []*server, s *server) []*server {
	rest := servers[:0:0]
	for _, other := range servers {
		if other != s {
			rest = append(rest, other)
		}
	}
	return rest
}

// Away is the number of servers that are passed over now.
func (p *Pool) Away() int {
	n, now := 0, time.Now()
	for _, s := range p.servers {
		if s.passedOver(now) {
			n++
		}
	}
	return n
}

// Close closes the connections that are not in use; those in use are closed when
// their answers end. Requests may still be sent.
func (p *Pool) Close() {
	p.closed.Store(true)
	for _, s := range p.servers {
		s.dropKept()
	}
}
