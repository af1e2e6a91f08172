package origin

import (
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

// ErrBusy is a request that found all servers as busy as they may be and no slot
// at one of them in time.
var ErrBusy = errors.New("no connection to the origin is free")

// errKept is a request that was not sent again after a server closed the kept
// connection on which it went out.
var errKept = errors.New("origin closed a kept connection as the request went out, keep connections there for more than " + idleKeep.String())

// Pool is the servers of the storefront, in turn. It is safe for concurrent use.
type Pool struct {
	log      *zap.Logger
	section  configs.Origin
	roots    *x509.CertPool // what its CARoot held
	servers  []*server
	turns    atomic.Uint64
	closed   atomic.Bool
	early    atomic.Int64 // answers in memory that hold no slot
	standard bool         // no connection is direct
}

// New makes the pool of a valid section. It opens no connection; it fails when
// the file of who vouches for https cannot be read.
func New(section configs.Origin, log *zap.Logger) (*Pool, error) {
	return (*Pool)(nil).Again(section, log)
}

// Again is the pool of another section: the same one, with its connections and what
// it knows of its servers, where nothing has changed, nor the file of who vouches. It
// fails as New does.
func (p *Pool) Again(section configs.Origin, log *zap.Logger) (*Pool, error) {
	roots, err := configs.ReadRoots("origin.ca_root", section.CARoot)
	if err != nil {
		return nil, err
	}
	if p != nil && same(p.section, section) && p.roots.Equal(roots) {
		return p, nil
	}
	p = &Pool{log: log.Named("origin"), section: section, roots: roots, standard: onlyStandard}
	for _, u := range section.URLs {
		p.servers = append(p.servers, newServer(p, u, roots, section.Timeout))
	}
	return p, nil
}

func same(a, b configs.Origin) bool {
	sameURL := func(a, b *url.URL) bool { return a.String() == b.String() }
	return a.Timeout == b.Timeout && a.CARoot == b.CARoot && slices.EqualFunc(a.URLs, b.URLs, sameURL)
}

// RoundTrip sends a request to one of the servers, whatever host its URL names,
// and to another one where that is provably no second time. The fields that it is
// about are sent as they are, the target as URL.RequestURI gives it. It fails with
// ErrBusy or what went wrong with the last server that was tried.
func (p *Pool) RoundTrip(req *http.Request) (*http.Response, error) {
	c, err := p.newCall(req)
	defer c.settle()
	if err != nil {
		return nil, c.cause(err)
	}
	for rest := p.inTurn(time.Now(), c.repeatable()); len(rest) > 0; {
		var s *server
		if s, c.slot, err = takeSlot(req.Context(), rest); err != nil {
			return nil, err
		}
		var resp *http.Response
		if resp, err = s.send(c); err == nil {
			resp.Request = req
			return resp, nil
		}
		c.slot.leave()
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

// inTurn is the servers as they are to be tried, and those that are passed
// over last, the one whose time is soonest up first.
func (p *Pool) inTurn(now time.Time, repeatable bool) []*server {
	n := len(p.servers)
	first := int(p.turns.Add(1) % uint64(n))
	fit, away := make([]*server, 0, n), []*server(nil)
	for i := range n {
		s := p.servers[(first+i)%n]
		if s.fit(now, len(fit) == 0, repeatable) {
			fit = append(fit, s)
		} else {
			away = append(away, s)
		}
	}
	return append(fit, bySoonest(away)...)
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

// Most is how many requests may be at all servers together.
func (p *Pool) Most() int { return mostSlots * len(p.servers) }

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
