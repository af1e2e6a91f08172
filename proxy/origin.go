package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
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
	o := &origin{house: h, url: h.cfg.Origin.URL}
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
		MaxIdleConns:          idleConns,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       idleKeep,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
	}
}

// passage is what the parts of one pass-through share: the request as it came,
// and its record.
type passage struct {
	in  *http.Request
	rec *record
}

type passageKey struct{}

func passageOf(r *http.Request) passage { return r.Context().Value(passageKey{}).(passage) }

func (o *origin) serve(w http.ResponseWriter, r *http.Request, rec *record) {
	r = r.WithContext(context.WithValue(r.Context(), passageKey{}, passage{in: r, rec: rec}))
	s := newStream(w, r)
	defer s.end()
	o.proxy.ServeHTTP(s, r)
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
	stripOwnCookies(out.Header)
	o.house.introduce(out.Header, p.In)
}

func (o *origin) answered(resp *http.Response) error {
	o.house.obey(resp, passageOf(resp.Request).in)
	return nil
}

// failed answers for an origin that did not. A client that left is no fault of
// anybody.
func (o *origin) failed(w http.ResponseWriter, r *http.Request, err error) {
	rec := passageOf(r).rec
	if r.Context().Err() != nil {
		rec.gone(w)
		return
	}
	rec.err = err
	if isTimeout(err) {
		rec.end(w, r, problem(http.StatusGatewayTimeout, "origin_slow", static.OriginAway))
		return
	}
	rec.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}
