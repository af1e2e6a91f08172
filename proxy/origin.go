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

	"github.com/golang-jwt/jwt/v5"

	"github.com/waitroom/waitroom/static"
)

const (
	dialWait    = 5 * time.Second
	headWait    = 60 * time.Second // for the first byte of the origin's answer
	idleConns   = 256
	idleKeep    = 4 * time.Second // below the 5 s at which common origins hang up
	proofLife   = 10 * time.Minute
	streamStall = 60 * time.Second // a stream may stand still for so long
)

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
	o.proxy = &httputil.ReverseProxy{
		Rewrite:        o.rewrite,
		Transport:      o.next,
		FlushInterval:  -1, // streams reach the shopper as they come
		ModifyResponse: o.answered,
		ErrorHandler:   o.failed,
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
	o.proxy.ServeHTTP(&stream{ResponseWriter: w, control: http.NewResponseController(w)}, r)
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

	trusted := o.house.trust.has(peerOf(p.In))
	setForwarded(out.Header, p.In, trusted)
	stripOwnCookies(out.Header)
	o.introduce(out.Header, p.In)
}

// introduce tells the origin about a shopper who holds a reservation.
func (o *origin) introduce(h http.Header, r *http.Request) {
	for id, d := range o.house.doors {
		if cookieValue(r, passPrefix+id) == "" {
			continue
		}
		b := d.board.Load()
		if b == nil {
			continue
		}
		s := o.house.shopper(r, d, b.now())
		if s.pass == nil || s.pass.Reservation == "" {
			continue
		}
		h.Set("Waitroom-Sale", d.sale.ID)
		h.Set("Waitroom-Reservation", s.pass.Reservation)
		h.Set("Waitroom-Token", o.house.proof(d.sale.ID, s, b.now()))
		return
	}
}

// proof is the signed form of what introduce says, a JWT (RFC 7519) under the
// first secret.
func (h *house) proof(sale string, s shopper, now time.Time) string {
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"iss": "waitroom", "sale": sale, "sub": s.account, "reservation": s.pass.Reservation,
		"iat": now.Unix(), "exp": now.Add(proofLife).Unix(),
	})
	signed, err := t.SignedString([]byte(h.cfg.Secrets[0].Reveal()))
	if err != nil {
		panic("sign proof: " + err.Error()) // HMAC of plain claims
	}
	return signed
}

// answered carries out what the origin asks of us and keeps it from shoppers.
func (o *origin) answered(resp *http.Response) error {
	command := resp.Header.Get("Waitroom-Command")
	for name := range resp.Header {
		if strings.HasPrefix(name, "Waitroom-") {
			resp.Header.Del(name)
		}
	}
	if command != "release" {
		return nil
	}
	in := passageOf(resp.Request).in
	for id := range o.house.doors {
		if name := passPrefix + id; cookieValue(in, name) != "" {
			resp.Header.Add("Set-Cookie", ownCookie(name, "", 0).String())
		}
	}
	return nil
}

// failed answers for an origin that did not. A client that left is no fault of
// anybody.
func (o *origin) failed(w http.ResponseWriter, r *http.Request, err error) {
	rec := passageOf(r).rec
	switch {
	case r.Context().Err() != nil:
		rec.decision = "client_gone"
		w.WriteHeader(499)
	case isTooLarge(err):
		rec.end(w, r, problem(http.StatusRequestEntityTooLarge, "too_large", static.BadRequest))
	case isTimeout(err):
		rec.err = err
		rec.end(w, r, problem(http.StatusGatewayTimeout, "origin_slow", static.OriginAway))
	default:
		rec.err = err
		rec.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
	}
}

func isTooLarge(err error) bool {
	var e *http.MaxBytesError
	return errors.As(err, &e)
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// stream lets an answer of the origin take as long as it moves: each write puts
// the connection's deadlines off, so that only one that stands still is cut.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (s *stream) Write(b []byte) (int, error) {
	s.moving()
	return s.ResponseWriter.Write(b)
}

func (s *stream) moving() {
	until := time.Now().Add(streamStall)
	_ = s.control.SetWriteDeadline(until) // not every writer has deadlines
	_ = s.control.SetReadDeadline(until)
}

// Unwrap is for http.ResponseController.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }
