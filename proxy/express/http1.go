package express

import (
	"errors"
	"net"
	"time"

	"github.com/waitroom/waitroom/proxy/framing"
)

// HTTP1 is a connection over HTTP/1 of which a server reads what is left for it.
type HTTP1 struct {
	*framing.HTTP1
	lane   *Lane
	place  Place
	server string // its name in the handshake
	out    out
	readBy time.Time // the deadline in force, as far as it is known; zero: none, or another one
	first  bool      // no request has come yet
	inHead bool      // a piece of one has come
}

// HTTP1 takes a connection over TLS, whose handshake was for a name. most and refused
// are those of framing.ScreenHTTP1. place is what is made of it. Await comes next.
func (l *Lane) HTTP1(conn net.Conn, name string, most int, refused func(reason string), place func(*HTTP1) Place) *HTTP1 {
	c := &HTTP1{lane: l, server: name, out: out{lane: l, conn: conn}, first: true}
	c.HTTP1 = framing.TapHTTP1(conn, most, refused, tap{c})
	c.place = place(c)
	return c
}

// Await answers until something comes that only the server can answer, which then has
// the connection; an error ends it.
func (c *HTTP1) Await() error {
	if err := c.HTTP1.Await(); err != nil {
		return err
	}
	return c.SetReadDeadline(time.Time{})
}

// SetDeadline notes both.
func (c *HTTP1) SetDeadline(by time.Time) error {
	return errors.Join(c.SetReadDeadline(by), c.SetWriteDeadline(by))
}

// SetReadDeadline notes which one is in force.
func (c *HTTP1) SetReadDeadline(by time.Time) error {
	c.readBy = by
	return c.HTTP1.SetReadDeadline(by)
}

// SetWriteDeadline notes which one is in force.
func (c *HTTP1) SetWriteDeadline(by time.Time) error {
	c.out.writeBy = by
	return c.HTTP1.SetWriteDeadline(by)
}

// tap is what framing knows of it.
type tap struct{ *HTTP1 }

// Take answers a request, if that can be.
func (t tap) Take(head []byte) bool {
	t.first, t.inHead = false, false
	taken, last := t.answer(head)
	if last || t.out.much() {
		t.flush(time.Now())
	}
	if last {
		t.End()
	}
	return taken
}

// Pass writes what is answered before the server answers.
func (t tap) Pass() {
	t.first, t.inHead = false, false
	t.flush(time.Now())
}

func (t tap) flush(now time.Time) {
	if t.out.buf == nil {
		return
	}
	t.place.Stirred(now)
	if t.out.flush(now) != nil {
		t.End() // the client has not got all of it
	}
}

// answer puts an answer in line. last is that none follows.
func (t tap) answer(head []byte) (taken, last bool) {
	s := t.lane.sheet()
	defer t.lane.done(s)
	last, ok := s.read(head)
	if !ok {
		return false, false
	}
	s.ServerName, s.Conn = t.server, t.place
	a := t.lane.desk.Answer(&s.Request)
	if a == nil {
		return false, false
	}
	b := append(t.out.bytes(), a.Head1...)
	if !a.Dated {
		b = append(b, t.lane.clock.at(time.Now()).line...)
	}
	if last = last || t.lane.leaving(); last {
		b = append(b, "Connection: close\r\n"...)
	}
	b = append(b, "\r\n"...)
	body := len(a.Body)
	if s.Method == "HEAD" {
		body = 0
	}
	if body > mostCopied {
		t.out.set(b)
		t.flush(time.Now())
		if t.out.write(time.Now(), a.Body[:body]) != nil {
			last = true
		}
	} else {
		t.out.set(append(b, a.Body[:body]...))
	}
	t.lane.desk.Done(&s.Request, a, body)
	return true, last
}

// Wait writes what is answered, and gives the client its time. Deadlines cost more
// than they are worth where another one is in force that is nearly the same.
func (t tap) Wait(begun bool) {
	now := time.Now()
	t.flush(now)
	long := t.lane.times.Idle
	switch {
	case begun && t.inHead:
		return
	case begun, t.first:
		long = t.lane.times.Head
	}
	if left := t.readBy.Sub(now); begun || left > long || left < long-long/16 {
		_ = t.SetReadDeadline(now.Add(long))
	}
	t.inHead = begun
}
