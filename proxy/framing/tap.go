package framing

import (
	"io"
	"net"
)

// Tap stands between a screen of HTTP/1 and the server, and may answer a head itself.
type Tap interface {
	// Take gets a head that came whole and clean, that has no body, asks for no other
	// protocol and has its target in origin-form, once all before it is answered. True:
	// it is answered as well, and the server never sees it.
	Take(head []byte) (taken bool)
	// Pass is before a head goes on to the server, which answers next: one that Take did
	// not take, or never got.
	Pass()
	// Wait is before the connection is read for a head, of which a piece is there or not,
	// and before one is refused. It is not called while a server answers.
	Wait(begun bool)
}

// TapHTTP1 is ScreenHTTP1 with a Tap. A server finds no piece of a head that is not whole.
func TapHTTP1(conn net.Conn, most int, refused func(reason string), tap Tap) *HTTP1 {
	c := ScreenHTTP1(conn, most, refused)
	c.tap = tap
	return c
}

// Await reads until there is something that only a server can answer. Before a server
// has the connection, who reads it calls this.
func (c *HTTP1) Await() error {
	for c.given >= c.at {
		if c.over.Load() {
			return io.EOF
		}
		if _, err := c.advance(nil); err != nil {
			return err
		}
	}
	return nil
}

// End is for the Tap, in Take or Wait: behind what it has answered nothing is read or
// written any more, whatever has come already. To the server its client has left.
func (c *HTTP1) End() { c.over.Store(true) }

// takes offers a head that is whole, from an index of buf to at.
func (c *HTTP1) takes(from int, p []byte) bool {
	if c.tap == nil || background(p) {
		return false
	}
	h := &c.reader.head
	offered := c.given == from && c.reader.phase == inHead &&
		!h.old && !h.switches && h.codings == 0 && h.authority.to == 0 && !h.options
	if offered && c.tap.Take(c.buf[from:c.at]) {
		return true
	}
	c.tap.Pass()
	return false
}

// background reports whether a server reads only to see whether its client is there,
// while it answers: it is about a single byte then (see ScreenHTTP1).
func background(p []byte) bool { return len(p) == 1 }
