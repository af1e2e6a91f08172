package origin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// call is one request on its way, over all attempts to send it.
type call struct {
	req     *http.Request
	body    *replay // nil: none
	upgrade bool    // only HTTP/1.1 can carry it
	fresh   bool    // no kept connection of HTTP/1.1 is tried any more
	resent  bool    // it was sent a second time after it may have arrived
	done    bool    // it was answered
	slot    slot    // at the server that is asked
	plain   bool    // a direct connection can carry it
	target  string  // then
	small   []byte  // then, all of the body

	// of the last attempt
	reached bool        // a connection came about
	kept    bool        // that had carried others before
	began   time.Time   // when it was there
	sent    atomic.Bool // something of the request may have left
	heard   atomic.Bool // something of an answer came
}

// newCall fails when a short body cannot be read: it is waited for before anybody is
// asked, and held up by it.
func (p *Pool) newCall(req *http.Request) (*call, error) {
	c := &call{req: req, upgrade: req.Header.Get("Upgrade") != ""}
	if !p.standard {
		c.target, c.plain = plainTarget(req)
	}
	if req.Body == nil || req.Body == http.NoBody {
		return c, nil
	}
	c.body = &replay{body: req.Body}
	if !c.plain {
		return c, nil
	}
	small := make([]byte, req.ContentLength+1)
	n, err := io.ReadFull(req.Body, small) // to its end
	switch {
	case n == len(small), err == io.EOF, err == io.ErrUnexpectedEOF && n < len(small)-1:
		return c, fmt.Errorf("body has not the length that the request says, %d bytes: %w", req.ContentLength, io.ErrUnexpectedEOF)
	case err != io.ErrUnexpectedEOF:
		return c, err
	}
	c.small = small[:n]
	c.body.kept = c.small
	return c, nil
}

// attempt is the request as one server is asked.
func (c *call) attempt(a address, k *conn) *http.Request {
	ctx := c.req.Context()
	if k.http2 {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteHeaders:         func() { c.sent.Store(true) },
			GotFirstResponseByte: func() { c.heard.Store(true) },
		})
	}
	out := c.req.WithContext(ctx)
	out.URL = new(url.URL)
	*out.URL = *c.req.URL
	out.URL.Scheme, out.URL.Host = a.scheme, "origin"
	if c.body != nil {
		out.Body, out.GetBody = c.body, nil
	}
	return out
}

// settle lets go of the body: it is not sent again.
func (c *call) settle() {
	if c.body != nil {
		c.body.settle(!c.done || c.small != nil)
	}
}

// next says where a request goes whose attempt has failed.
func (c *call) next(err error) where {
	switch {
	case c.req.Context().Err() != nil:
		return nowhere
	case !c.reached:
		return elsewhere
	case c.untouched(err):
		if c.body != nil && !c.body.rewind() {
			return nowhere
		}
		if c.kept && !c.fresh {
			c.fresh = true
			return again
		}
		return elsewhere
	case c.kept && !c.heard.Load() && !c.resent && c.repeatable() && isClosed(err):
		c.fresh, c.resent = true, true
		return again
	default:
		return nowhere
	}
}

// where a request goes next.
type where int

const (
	nowhere   where = iota // it has failed
	again                  // to the same server, over another connection
	elsewhere              // to another server
)

// untouched reports whether no server has acted on the last attempt: nothing of it
// was written, or the server says so (RFC 9113, 6.8 and 8.7).
func (c *call) untouched(err error) bool {
	if !c.sent.Load() {
		return true
	}
	refused, ok := errors.AsType[http2.StreamError](err)
	return ok && refused.Code == http2.ErrCodeRefusedStream || err.Error() == goneAway
}

// goneAway is how the client of HTTP/2 says that the server named the last request
// that it acts on, and that this one came later. It has no other name for it.
const goneAway = "http2: Transport received Server's graceful shutdown GOAWAY"

// leftWaiting reports whether the client, who has left, had asked all that there was to
// ask, and waited long for the first byte.
func (c *call) leftWaiting(now time.Time) bool {
	return c.reached && c.body == nil && c.sent.Load() && !c.heard.Load() && now.Sub(c.began) >= patience
}

// repeatable reports whether the request means the same twice as once and can be
// sent again whole (RFC 9110, 9.2.2). DELETE and PUT would, but who sends them
// wants to be told.
func (c *call) repeatable() bool {
	switch c.req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return c.body == nil
	default:
		return false
	}
}

// cause is the error of a call that has failed for good.
func (c *call) cause(err error) error {
	if ctx := c.req.Context(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.reached && c.kept && c.sent.Load() && isClosed(err) {
		return fmt.Errorf("%w: %w", errKept, err)
	}
	return err
}

// isClosed reports whether a connection ended under a request, in the words of the
// two clients.
func isClosed(err error) bool {
	text := err.Error()
	for _, words := range []string{"closed", "EOF", "reset by peer", "broken pipe"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && e.Timeout()
}
