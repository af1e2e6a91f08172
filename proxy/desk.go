package proxy

import (
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/express"
)

// An Edge is the desk of the express lane.
var _ express.Desk = (*Edge)(nil)

// mostRoom is more than any page has that is one shopper's, in bytes.
const mostRoom = 64 << 10

// counter is where a request of the express lane is heard, and noted once it is answered.
// Then the next one is heard there.
type counter struct {
	hearing
	house  *house
	record record
	room   []byte // for what is one shopper's
}

// counters are those at which nobody stands now.
type counters struct{ free sync.Pool }

func (cs *counters) take() *counter {
	if c, ok := cs.free.Get().(*counter); ok {
		return c
	}
	return &counter{hearing: hearing{visit: new(visit), answer: new(answer)}}
}

// put gives a counter back. What is there of a request, whose texts are over, nobody reads
// any more.
func (cs *counters) put(c *counter) {
	c.q, c.guest = question{}, nil
	cs.free.Put(c)
}

// Answer gives what a request gets at once, as ServeHTTP would; nil: it goes on.
func (e *Edge) Answer(r *express.Request) (given *express.Answer) {
	c := e.counters.take()
	defer func() {
		if given == nil {
			e.missed(recover())
			e.counters.put(c)
		}
	}()
	c.record.begun, c.house = time.Now(), e.house.Load()
	c.hear(r)
	if !c.house.decide(&c.hearing, nil, c.record.begun) {
		return nil
	}
	r.Note = c
	if c.lies != nil {
		return &c.lies.Answer
	}
	c.write(r)
	return &r.Own
}

// missed tells of a panic. The server is asked next, and says so to the shopper.
func (e *Edge) missed(thrown any) {
	if thrown != nil {
		e.log.Error("express lane panicked", zap.Error(fmt.Errorf("panic: %v", thrown)), zap.Stack("stack"))
	}
}

// hear begins with a request, in the place of the last.
func (s *hearing) hear(r *express.Request) {
	s.q.read(r)
	s.path, s.want, s.allows = "", want{}, ""
	s.lies, s.paid, s.guest, s.shown = nil, false, nil, cache.Shown{}
}

// write puts the answer together where the lane has room for it.
func (c *counter) write(r *express.Request) {
	a, q := c.answer, &c.q
	to := head{http2: r.HTTP2, bytes: r.Buf[:0]}
	body := a.put(&to, c.room[:0], q, c.house)
	if a.own && cap(body) <= mostRoom {
		c.room = body
	}
	if c.want.tells() {
		c.house.crossOrigin(&to, q, c.want)
	}
	to.length(len(body))
	r.Own = express.Answer{Status: a.status, Body: body}
	r.Buf = to.bytes
	if r.HTTP2 {
		r.Own.Head2 = to.bytes
	} else {
		r.Own.Head1 = to.bytes
	}
}

// Done notes an answer that goes out, or takes it back.
func (e *Edge) Done(r *express.Request, a *express.Answer, body int) {
	c := r.Note.(*counter)
	r.Note = nil
	if body < 0 {
		c.unpay(c.house, time.Now())
	} else {
		c.noted(e, a.Status, int64(body))
	}
	e.counters.put(c)
}

// noted counts the request and writes its record, which may be kept for longer than the
// request's own texts.
func (c *counter) noted(e *Edge, status int, body int64) {
	c.shown.Count()
	rec := &c.record
	rec.decision, rec.reason, rec.sale = c.decision, "", c.want.id()
	if c.lies == nil {
		rec.decision, rec.reason = c.answer.decision, c.answer.reason
	}
	path, proto := c.path, "HTTP/1.1"
	if path == "" {
		path = c.q.escaped()
	}
	if c.q.http2 {
		proto = "HTTP/2.0"
	}
	e.note(rec, sent{c.q.method, path, proto, status, body})
}
