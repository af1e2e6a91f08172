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
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/static"
)

const (
	dialWait  = 5 * time.Second
	headWait  = 50 * time.Second // for the first byte of the origin's answer; below writeWait
	mostConns = 512              // at once, streams and upgraded ones too
	connWait  = 15 * time.Second // for a connection when there are as many; above dialWait twice
	idleConns = 256
	idleKeep  = 4 * time.Second // below the 5 s at which common origins hang up
)

// statusGone is what records and metrics show for a client that left before it
// was answered. Nobody sees it as an answer.
const statusGone = 499

// origin passes requests on to the storefront.
type origin struct {
	house *house
	url   *url.URL
	proxy *httputil.ReverseProxy
	next  http.RoundTripper
}

func newOrigin(h *house, last *house) *origin {
	o := &origin{house: h, url: h.cfg.Origin.URLs[0]}
	if last != nil && last.origin.url.String() == o.url.String() {
		o.next = last.origin.next
	} else {
		o.next = newTransport()
	}
	quiet, _ := zap.NewStdLogAt(h.log, zap.DebugLevel) // only unknown levels fail
	o.proxy = &httputil.ReverseProxy{
		Rewrite:        o.rewrite,
		Transport:      o.next,
		FlushInterval:  -1, // streams reach the shopper as they come
		ModifyResponse: o.answered,
		ErrorHandler:   o.failed,
		ErrorLog:       quiet, // of shoppers who leave in the middle
	}
	return o
}

func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialWait, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   dialWait,
		ResponseHeaderTimeout: headWait,
		MaxConnsPerHost:       mostConns,
		MaxIdleConns:          idleConns,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       idleKeep,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
	}
}

// errNoConnection is a request that got no connection in time.
var errNoConnection = errors.New("no connection to the origin is free")

// patience ends a request that waits too long for a connection: a transport with
// a bound on them lets it wait for ever. What has got one takes its time.
func patience(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(connWait, func() { cancel(errNoConnection) })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { timer.Reset(connWait) }, // again, when the first was just closing
		GotConn: func(httptrace.GotConnInfo) { timer.Stop() },
	})
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// passage is what the parts of one pass-through share: the request as it came,
// its record, both bodies on their way, and whose guest it is.
type passage struct {
	in     *http.Request
	guest  *guest // nil: nobody's
	rec    *record
	stream *stream
}

type passageKey struct{}

func passageOf(r *http.Request) passage { return r.Context().Value(passageKey{}).(passage) }

// serve passes a request on, of a guest of a room or, with nil, of nobody's. One
// to the path of a buy may not say in its query that it is one.
func (o *origin) serve(w http.ResponseWriter, r *http.Request, rec *record, g *guest) {
	if hasMethodParam(r.URL.RawQuery) && o.house.routes.isBuyPath(r.URL.EscapedPath()) {
		rec.end(w, r, badRequest(errors.New("query: _method is not allowed here")))
		return
	}
	s := newStream(w, r)
	defer s.end()
	ctx, stop := patience(r.Context())
	defer stop()
	ctx = context.WithValue(ctx, passageKey{}, passage{in: r, guest: g, rec: rec, stream: s})
	o.proxy.ServeHTTP(s, r.WithContext(ctx))
}

// rewrite makes the request that the origin sees: its target byte for byte, our
// cookies gone, and nothing about the client that we do not know ourselves.
func (o *origin) rewrite(p *httputil.ProxyRequest) {
	out := p.Out
	out.URL.Scheme, out.URL.Host = o.url.Scheme, o.url.Host
	out.URL.RawQuery, out.URL.ForceQuery = p.In.URL.RawQuery, p.In.URL.ForceQuery
	if target, _, _ := strings.Cut(p.In.RequestURI, "?"); strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") {
		out.URL.Opaque = target // as it came, also where net/url would write it otherwise
	}
	out.Host = p.In.Host
	out.Trailer = nil // fields there could contradict those that are checked here

	trusted := o.house.trust.has(peerOf(p.In))
	setForwarded(out.Header, p.In, trusted)
	g := passageOf(p.In).guest
	if o.house.routes.isBuyPath(p.In.URL.EscapedPath()) || g != nil && showsNothing(p.In) {
		removeMethodFields(out.Header)
	}
	if len(g.given()) > 0 {
		removeConditions(out.Header)
	}
	stripOwnCookies(out.Header)
	o.house.introduce(out.Header, p.In)
}

func (o *origin) answered(resp *http.Response) error {
	p := passageOf(resp.Request)
	o.house.obey(resp, p.in, p.guest)
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
func (o *origin) failed(w http.ResponseWriter, r *http.Request, err error) {
	p := passageOf(r)
	unread := p.stream.unread()
	switch {
	case errors.Is(context.Cause(r.Context()), errNoConnection):
		p.rec.err = errNoConnection
		a := problem(http.StatusServiceUnavailable, "origin_busy", static.OriginAway)
		a.retry = spread(pausePoll)
		p.end(w, r, a)
	case r.Context().Err() != nil, errors.Is(unread, io.ErrUnexpectedEOF):
		p.rec.gone(w)
	case isTimeout(unread):
		p.rec.err = unread
		p.end(w, r, problem(http.StatusRequestTimeout, "body_slow", static.BadRequest))
	case unread != nil:
		p.rec.err = unread
		p.end(w, r, badRequest(fmt.Errorf("body: %w", unread)))
	case isTimeout(err):
		p.rec.err = err
		p.end(w, r, problem(http.StatusGatewayTimeout, "origin_slow", static.OriginAway))
	default:
		p.rec.err = err
		p.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}
