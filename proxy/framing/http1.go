package framing

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
)

const (
	buffer = 4 << 10 // bytes of the one that an idle connection keeps
	ahead  = 4       // bytes of a head that are given before it is whole
)

// poison stands in for the rest of a body that is refused. To every reader of
// chunks it is neither a size, nor the end of data, nor a trailer.
const poison = "!\r\n\r\n"

// HTTP1 is the server's end of a connection over HTTP/1 of which only clean
// messages are read. It is closed as the connection under it is; what is closed
// with bytes unread has to be closed gently there (RFC 9112, 9.6).
type HTTP1 struct {
	net.Conn
	reader  *Reader
	refused func(reason string)
	tap     Tap // nil: none

	// What was read: buf[given:at] is clean, and reader stands at buf[at]. given is
	// above at while the first bytes of a head went ahead.
	buf       []byte
	at, given int
	failed    error // what came with the last bytes of buf
	one       [1]byte

	begun    int     // heads so far
	no       Refusal // of the head that stands at buf[at]
	poison   string  // what is given instead of bytes
	released bool
	over     atomic.Bool // a head was refused and answered, or the Tap has ended it: nothing is read or written any more
	spoilt   bool        // a body was refused: the handler answers, and nothing is read any more
}

// ScreenHTTP1 puts a Reader between an HTTP/1 server and its client. The server must be
// one, as net/http's is, that reads at most one byte beyond a message until it has
// answered it.
//
// A head that is refused gets one answer, behind those to the messages before it,
// and ends the connection; to the server its client has left. In a body that is
// refused the server finds what it cannot read, and answers itself. Each time
// refused gets the Refusal; it must not block. most bounds a head, in bytes of its
// request line and fields with their line ends.
func ScreenHTTP1(conn net.Conn, most int, refused func(reason string)) *HTTP1 {
	return &HTTP1{Conn: conn, reader: NewReader(most), refused: refused}
}

// Release lets everything through as it is from now on, and nothing is lost: the
// connection was hijacked and speaks another protocol.
func (c *HTTP1) Release() { c.released = true }

// Read gives clean bytes of one message. While there are none it blocks, as long
// as the deadline of the connection allows.
func (c *HTTP1) Read(p []byte) (int, error) {
	for len(p) > 0 {
		switch {
		case c.released:
			return c.readOn(p)
		case c.poison != "":
			n := copy(p, c.poison)
			c.poison = c.poison[n:]
			return n, nil
		case c.over.Load(), c.spoilt:
			return 0, io.EOF
		case c.given < c.at:
			return c.give(p, c.at), nil
		case c.at == len(c.buf) && c.reader.left > 0 && c.failed == nil:
			return c.readBody(p)
		}
		if n, err := c.advance(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// give hands bytes over, up to an index of buf.
func (c *HTTP1) give(p []byte, end int) int {
	n := copy(p, c.buf[c.given:end])
	c.given += n
	return n
}

// readBody reads of a body what needs no look.
func (c *HTTP1) readBody(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.reader.left)])
	c.reader.forward(n)
	return n, err
}

// readOn gives what is left, and then reads without a look.
func (c *HTTP1) readOn(p []byte) (int, error) {
	if c.given < len(c.buf) {
		return c.give(p, len(c.buf)), nil
	}
	if err := c.failed; err != nil {
		c.failed = nil
		return 0, err
	}
	c.buf, c.at, c.given = nil, 0, 0
	return c.Conn.Read(p)
}

// advance clears what was read, or reads more.
func (c *HTTP1) advance(p []byte) (int, error) {
	switch {
	case c.no != "":
		return c.refuseHead(p)
	case c.at == len(c.buf) && c.reader.phase == inHead:
		return 0, c.fillHead(p)
	case c.at == len(c.buf):
		return 0, c.fill()
	case c.reader.phase == inHead:
		return c.clearHead(p)
	default:
		return 0, c.clearBody()
	}
}

// clearHead may give the first bytes of a head that is not whole: net/http waits
// for them before it lets its time for a header begin.
func (c *HTTP1) clearHead(p []byte) (int, error) {
	if c.reader.seen == 0 {
		c.begun++
	}
	n, no := c.reader.Next(c.buf[c.at:])
	if no != "" {
		c.no = no
		return 0, nil
	}
	begins := c.at + c.reader.head.blank
	c.given = max(c.given, begins)
	if n > 0 {
		if c.at += n; c.takes(begins, p) {
			c.given = c.at
		}
		return 0, nil
	}
	end := min(begins+ahead, len(c.buf))
	if c.tap == nil && c.given < end && c.buf[c.given] != '\r' {
		return c.give(p, end), nil
	}
	return 0, c.fillHead(p)
}

// fillHead is fill for a head of which a piece may be there.
func (c *HTTP1) fillHead(p []byte) error {
	if c.tap == nil || background(p) {
		return c.fill()
	}
	c.tap.Wait(c.at < len(c.buf))
	switch {
	case c.over.Load():
		return io.EOF
	case c.at < len(c.buf) || c.failed != nil:
		return c.fill()
	}
	return c.fillFirst()
}

// fillFirst is fill while nothing is there: it waits without a buffer. What came with the
// first byte lies ready under it.
func (c *HTTP1) fillFirst() error {
	if cap(c.buf) == buffer {
		buffers.Put((*[buffer]byte)(c.buf[:buffer]))
	}
	c.buf, c.at, c.given = nil, 0, 0
	n, err := c.Conn.Read(c.one[:])
	if n == 0 {
		return err
	}
	c.buf = append(buffers.Get().(*[buffer]byte)[:0], c.one[0]) //nolint:errcheck // they all are
	if err == nil {
		n, err = c.Conn.Read(c.buf[1:buffer])
		c.buf = c.buf[:1+n]
	}
	c.failed = err
	return nil
}

// buffers are those of connections that are idle.
var buffers = sync.Pool{New: func() any { return new([buffer]byte) }}

// clearBody clears as much as there is of a body.
func (c *HTTP1) clearBody() error {
	for c.at < len(c.buf) && c.reader.phase != inHead {
		n, no := c.reader.Next(c.buf[c.at:])
		switch {
		case no != "" && c.given < c.at:
			return nil // what came before it first
		case no != "":
			c.spoilt = true
			c.poison = poison
			c.refused(string(no))
			return nil
		case n == 0:
			if c.given < c.at {
				return nil
			}
			return c.fill()
		}
		c.at += n
	}
	return nil
}

// fill reads more behind what is there. The buffer grows no further than to hold
// the largest head, and what was read with it.
func (c *HTTP1) fill() error {
	if err := c.failed; err != nil {
		c.failed = nil
		return err
	}
	c.makeRoom()
	n, err := c.Conn.Read(c.buf[len(c.buf):cap(c.buf)])
	c.buf = c.buf[:len(c.buf)+n]
	if n == 0 {
		return err
	}
	c.failed = err
	return nil
}

// makeRoom forgets what the server has.
func (c *HTTP1) makeRoom() {
	used := min(c.at, c.given)
	left := copy(c.buf, c.buf[used:])
	c.buf, c.at, c.given = c.buf[:left], c.at-used, c.given-used
	switch {
	case left == 0 && cap(c.buf) != buffer:
		c.buf = make([]byte, 0, buffer)
	case left == cap(c.buf):
		c.buf = append(make([]byte, 0, 2*cap(c.buf)), c.buf...)
	}
}
