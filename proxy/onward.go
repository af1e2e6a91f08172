package proxy

import (
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"slices"
	"strings"
	"sync/atomic"

	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"github.com/waitroom/waitroom/proxy/cache"
)

// onward sends a request on and its answer back, in the goroutine that has the request:
// what the standard proxy does as well, which only does it where protocols may change.
func (y *way) onward(s *stream, r *http.Request) {
	out := outgoing(r)
	if body, ok := out.Body.(*lentBody); ok {
		defer body.over.Store(true)
	}
	y.rewrite(&httputil.ProxyRequest{In: r, Out: out})
	s.relays(true)
	resp, err := y.proxy.Transport.RoundTrip(out)
	s.relays(false)
	if err != nil {
		y.failed(s, out, err)
		return
	}
	cache.RemoveHopFields(resp.Header)
	ready := readiness(resp) // of the body as it came: answered may put another one around it
	if err := y.answered(resp); err != nil {
		_ = resp.Body.Close()
		y.failed(s, out, err)
		return
	}
	announced := s.begin(resp)
	if err := y.copy(s, resp.Body, ready); err != nil {
		y.house.log.Debug("answer broke off", zap.Error(err))
		panic(http.ErrAbortHandler) // it must not look whole
	}
	_ = resp.Body.Close() // then its trailer is there
	s.finish(resp, announced)
}

// outgoing is the request to the origin before it is rewritten: without what was meant
// for this hop only (RFC 9110, 7.6.1), and with a header of its own.
func outgoing(r *http.Request) *http.Request {
	out := *r
	out.Close = false
	switch {
	case r.ContentLength == 0:
		out.Body = nil
	case r.Body != nil:
		out.Body = &lentBody{from: r.Body}
	}
	out.Header = make(http.Header, len(r.Header)+6)
	for name, values := range r.Header {
		out.Header[name] = slices.Clip(values)
	}
	cache.RemoveHopFields(out.Header)
	if httpguts.HeaderValuesContainsToken(r.Header["Te"], "trailers") {
		out.Header["Te"] = []string{"trailers"}
	}
	if _, said := out.Header["User-Agent"]; !said {
		out.Header["User-Agent"] = noAgent
	}
	return &out
}

// noAgent keeps a client from naming itself.
var noAgent = []string{""}

// lentBody is a request's for as long as the request lasts: whoever still reads it then
// gets nothing, and closes nothing.
type lentBody struct {
	from io.Reader
	over atomic.Bool
}

var errOver = errors.New("request is over")

func (b *lentBody) Read(p []byte) (int, error) {
	if b.over.Load() {
		return 0, errOver
	}
	return b.from.Read(p)
}

func (b *lentBody) Close() error {
	b.over.Store(true)
	return nil
}

// readiness tells of an answer's body whether more of it can be read without waiting.
func readiness(resp *http.Response) func() bool {
	if resp.Body == http.NoBody || cache.Kept(resp) {
		return func() bool { return true }
	}
	if body, ok := resp.Body.(interface{ Ready() bool }); ok {
		return body.Ready
	}
	return func() bool { return false }
}

// begin begins the answer, and gives the number of fields that its trailer is announced
// to have.
func (s *stream) begin(resp *http.Response) (announced int) {
	h := s.Header()
	for name, values := range resp.Header {
		if before := h[name]; before != nil {
			values = append(slices.Clip(before), values...)
		}
		h[name] = values
	}
	for name := range resp.Trailer {
		h.Add("Trailer", name)
	}
	announced = len(resp.Trailer)
	s.WriteHeader(resp.StatusCode)
	return announced
}

// copy writes an answer as it comes: what there is goes out before more is waited for.
func (y *way) copy(s *stream, body io.Reader, ready func() bool) error {
	buf := y.proxy.BufferPool.Get()
	defer y.proxy.BufferPool.Put(buf)
	for {
		if !ready() {
			_ = s.FlushError() // who cannot take it cannot take what is written next
		}
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := s.Write(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// finish ends the answer with its trailer, if it has one.
func (s *stream) finish(resp *http.Response, announced int) {
	if len(resp.Trailer) == 0 {
		return
	}
	_ = s.FlushError() // a length that is found out now would leave no room for it
	prefix := ""
	if len(resp.Trailer) != announced {
		prefix = http.TrailerPrefix
	}
	h := s.Header()
	for name, values := range resp.Trailer {
		h[prefix+name] = append(h[prefix+name], values...)
	}
}

// relays says whether answers of the 1xx kind are passed on by the stream itself. They
// are not any more once there is another one.
func (s *stream) relays(so bool) {
	s.relaying.Lock()
	defer s.relaying.Unlock()
	s.relay = so
}

// relayed passes one on.
func (s *stream) relayed(status int, h textproto.MIMEHeader) {
	s.relaying.Lock()
	defer s.relaying.Unlock()
	if !s.relay {
		return
	}
	own := s.Header()
	for name, values := range h {
		own[name] = append(own[name], values...)
	}
	s.WriteHeader(status)
	clear(own)
}

// changes reports whether a request wishes to change the protocol.
func changes(r *http.Request) bool {
	return len(r.Header["Upgrade"]) > 0 && strings.Join(r.Header["Connection"], "") != ""
}
