package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/origin"
	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/static"
)

// statusGone is what records and metrics show for a client that left before it
// was answered. Nobody sees it as an answer.
const statusGone = 499

// way is where requests go that belong to no sale: on to the origin.
type way struct {
	house *house
	host  string // under which it is asked where no name is known that is better
	pool  *origin.Pool
	usher *usher // at the pool
	proxy *httputil.ReverseProxy
}

func newWay(h *house, last *house) (_ *way, err error) {
	y := &way{house: h, host: hostOf(h.cfg.Origin.URLs[0])}
	if last == nil {
		y.pool, err = origin.New(h.cfg.Origin, h.log)
	} else {
		y.pool, err = last.way.pool.Again(h.cfg.Origin, h.log)
	}
	if err != nil {
		return nil, err
	}
	y.usher = newUsher(h, y.pool, last)
	quiet, _ := zap.NewStdLogAt(h.log, zap.DebugLevel) // only unknown levels fail
	y.proxy = &httputil.ReverseProxy{
		Rewrite:        y.rewrite,
		Transport:      h.cache.Transport(y.usher, h.cfg.Identity.Header),
		FlushInterval:  -1, // streams reach the shopper as they come
		BufferPool:     &pieces{},
		ModifyResponse: y.answered,
		ErrorHandler:   y.failed,
		ErrorLog:       quiet, // of shoppers who leave in the middle
	}
	return y, nil
}

func hostOf(u *url.URL) string {
	if u.Host == "" {
		return "localhost" // a socket has no name
	}
	return u.Host
}

// passage is what the parts of one pass-through share: the request as it came,
// its target, its record, both bodies on their way, and whose guest it is.
type passage struct {
	in     *http.Request
	q      *question
	target string
	onBuy  bool   // a sale's buy is made on its path
	guest  *guest // nil: nobody's
	rec    *record
	stream *stream
}

type passageKey struct{}

// passageOf is the passage that a request to the origin belongs to; ok is false for
// one of our own.
func passageOf(r *http.Request) (p passage, ok bool) {
	p, ok = r.Context().Value(passageKey{}).(passage)
	return p, ok
}

// serve passes a request on, of a guest of a room or, with nil, of nobody's. One
// on the path of a buy may not say in its query that it is one.
func (y *way) serve(w http.ResponseWriter, r *http.Request, rec *record, onBuy bool, g *guest) {
	if onBuy && hasMethodParam(r.URL.RawQuery) {
		rec.end(w, r, badRequest(errors.New("query: _method is not allowed here")))
		return
	}
	target, err := originTarget(r)
	if err != nil {
		rec.end(w, r, badRequest(err))
		return
	}
	most := y.house.cfg.Limits.Body
	if most > 0 && r.ContentLength > most {
		rec.end(w, r, badRequest(errTooLarge))
		return
	}
	rec.unread = true
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	s := newStream(w, r, most, max(streamStall, y.house.cfg.Origin.Timeout), stop)
	defer s.end()
	ctx = httptrace.WithClientTrace(ctx, s.trace())
	ctx = context.WithValue(ctx, passageKey{}, passage{in: r, q: rec.q, target: target, onBuy: onBuy, guest: g, rec: rec, stream: s})
	r = r.WithContext(ctx)
	if s.upload != nil {
		r.Body = s.upload
	}
	if changes(r) {
		y.proxy.ServeHTTP(s, r)
	} else {
		y.onward(s, r)
	}
	s.whole = true // it panics where an answer must be cut
}

// rewrite makes the request that the origin sees: its target byte for byte, our
// cookies gone, and nothing about the client that we do not know ourselves.
func (y *way) rewrite(p *httputil.ProxyRequest) {
	out := p.Out
	passage, _ := passageOf(p.In)
	out.URL = targetURL(passage.target, p.In.URL)
	out.URL.Scheme, out.URL.Host = "https", y.host // for who caches: the pool knows where it is
	out.Host = p.In.Host
	out.Trailer = nil // fields there could contradict those that are checked here

	trusted := y.house.trust.believes(passage.q)
	setForwarded(out.Header, p.In, trusted)
	y.house.identity.clean(out.Header, y.house.mayName(passage.q))
	keepUpgrade(out.Header)
	g := passage.guest
	if passage.onBuy || g != nil && showsNothing(p.In) {
		removeMethodFields(out.Header)
	}
	if len(g.given()) > 0 {
		removeConditions(out.Header)
	}
	stripOwnCookies(out.Header)
	y.house.introduce(out.Header, passage.q)
}

func (y *way) answered(resp *http.Response) error {
	p, _ := passageOf(resp.Request)
	if resp.StatusCode < 100 {
		return fmt.Errorf("origin answered with the status %03d, which there is not", resp.StatusCode)
	}
	if cache.Kept(resp) {
		p.rec.decision = "cache"
		y.house.limits.refund(payer{addr: y.house.trust.client(p.q)}, time.Now())
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		if err := p.stream.upgrade(resp, y.house.tunnels); err != nil {
			return err
		}
	}
	y.house.obey(resp, p.q, p.guest)
	if resp.StatusCode != http.StatusSwitchingProtocols {
		p.stream.answer = newAnswerBody(resp)
	}
	return nil
}

// end answers in the origin's place; who came into a room has come in all the
// same.
func (p passage) end(w http.ResponseWriter, r *http.Request, a answer) {
	a.cookies = p.guest.given()
	p.rec.end(w, r, a)
}

// failed answers for an origin that did not, or for a client whose body could
// not be read to its end. A client that left is no fault of anybody.
func (y *way) failed(w http.ResponseWriter, r *http.Request, err error) {
	p, _ := passageOf(r)
	unread := p.stream.unread()
	slow := func(err error) {
		p.rec.err = err
		p.end(w, r, problem(http.StatusGatewayTimeout, "origin_slow", static.OriginAway))
	}
	away, turned := errors.AsType[turnedAway](err)
	switch {
	case turned && r.Context().Err() == nil:
		p.end(w, r, noPlace(p.q, places.Class(away)))
	case errors.Is(err, origin.ErrBusy):
		p.rec.err = err
		a := problem(http.StatusServiceUnavailable, "origin_busy", static.OriginAway)
		a.retry = spread(pausePoll)
		p.end(w, r, a)
	case errors.Is(context.Cause(r.Context()), errNotTaken):
		slow(errNotTaken)
	case errors.Is(context.Cause(r.Context()), errLeft):
		w.Header().Set("Connection", "close") // what else they asked for is for nobody
		p.rec.gone(w)
	case r.Context().Err() != nil, errors.Is(unread, io.ErrUnexpectedEOF):
		p.rec.gone(w)
	case isTimeout(unread):
		p.rec.err = unread
		p.end(w, r, problem(http.StatusRequestTimeout, "body_slow", static.BadRequest))
	case unread != nil:
		p.rec.err = unread
		p.end(w, r, badRequest(fmt.Errorf("body: %w", unread)))
	case isTimeout(err):
		slow(err)
	default:
		p.rec.err = err
		p.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
	}
}

// pieces are what answers are copied in.
type pieces struct{ sync.Pool }

// Get is for the standard proxy.
func (p *pieces) Get() []byte {
	if b, ok := p.Pool.Get().(*[32 << 10]byte); ok {
		return b[:]
	}
	return make([]byte, 32<<10)
}

// Put is for the standard proxy.
func (p *pieces) Put(b []byte) { p.Pool.Put((*[32 << 10]byte)(b)) }

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}
