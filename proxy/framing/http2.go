package framing

import (
	"bufio"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	refusedWait = 500 * time.Millisecond
	mostTrash   = 256 << 10 // bytes read of a client that was refused
)

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// badUpdate is a WINDOW_UPDATE by nothing on stream 0, at which a server ends the
// connection (RFC 9113, 6.9).
var badUpdate = []byte{0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0}

// HTTP2 is the server's end of a connection over HTTP/2 of which only clean frames
// are read.
type HTTP2 struct {
	net.Conn
	in      *bufio.Reader
	refused func(reason string)
	blocks  *blocks
	credit  credit
	begun   bool   // the preface is through
	held    []byte // frames of a block that is not whole
	out     []byte // frames that were looked at
	left    int    // bytes of a frame that need no look
	over    bool   // behind out and left nothing is read any more

	tap   TapHTTP2 // nil: none
	own   bool     // it has taken a head
	words words
	block frame // that is read
	small [mostTapped]byte
	first first
	tools *tools // what it reads with; nil: its own

	written atomic.Int64
	leaving atomic.Bool // the goodbye is due
	writing sync.Mutex
	sent    outgoing
	said    bool // goodbye
}

// ScreenHTTP2 is ScreenHTTP1 for a server of HTTP/2 on TLS, such as net/http's. It knows
// more malformed requests than the server does, and gives it those with a field
// that it refuses, behind a head that makes the stream one that it knows, so that
// a body which follows ends nothing but that stream; it bounds frames that cost more than they bring; and a setting
// that a frame makes twice is made once. Everything else goes through as it is, and
// what breaks HTTP/2 itself is left to the server. most bounds a head, in bytes; one
// that is so large that no server would read it to its end gets the answer that any
// other gets that is too large, and is the last on its connection.
func ScreenHTTP2(conn net.Conn, most int, refused func(reason string)) *HTTP2 {
	return &HTTP2{Conn: conn, in: bufio.NewReaderSize(conn, buffer), refused: refused, blocks: newBlocks(most)}
}

// Read gives clean bytes.
func (c *HTTP2) Read(p []byte) (int, error) {
	for len(p) > 0 {
		switch {
		case len(c.out) > 0:
			n := copy(p, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.left > 0:
			n, err := c.in.Read(p[:min(len(p), c.left)])
			c.left -= n
			return n, err
		case c.over:
			return 0, c.end()
		case !c.begun:
			c.begun, c.left = true, len(preface)
			continue
		}
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// next looks at the next frame.
func (c *HTTP2) next() error {
	if err := c.awaitFrame(); err != nil {
		return err
	}
	b, err := c.in.Peek(frameHead)
	if err != nil {
		return err
	}
	f := frame(b)
	size := frameHead + f.length()
	switch {
	case f.kind() == typeSettings && f.length() > mostSettings*setting, f.idle() && !c.pays(f):
		c.refused(string(Flood))
		c.out, c.over = badUpdate, true
		return nil
	case f.length() > maxFrame, !c.blocks.follows(f):
		c.out, c.left, c.over = c.held, size, true
		return nil
	case c.tap != nil && f.kind() != typeHeaders && f.kind() != typeContinuation:
		return c.tapFrame(f)
	case f.kind() == typeSettings, f.kind() == typeHeaders, f.kind() == typeContinuation:
		f, err := c.readFrame(size)
		if err != nil {
			return err
		}
		c.look(f)
		return nil
	default:
		c.left = size
		return nil
	}
}

// pays reports whether a client may send one more frame that does nothing.
func (c *HTTP2) pays(f frame) bool {
	if f.kind() == typeWindowUpdate {
		return c.credit.takeUpdate(time.Now(), c.written.Load())
	}
	return c.credit.take(time.Now())
}

// look looks into a frame. A block is let through as a whole: of one that is too large
// nothing has been seen, so that a small one can stand for it.
func (c *HTTP2) look(f frame) {
	if f.kind() == typeSettings {
		c.out = lastSettings(f)
		return
	}
	begun := len(c.held)
	c.held = append(c.held, f...)
	done, no, ok := c.blocks.read(f)
	switch {
	case c.blocks.tooLarge(len(c.held)):
		c.refused(string(Large))
		c.held, c.over = largeHead(f.stream(), c.blocks.most), true
		if c.tap != nil {
			c.tap.Refused(f.stream())
		}
		c.out, c.held = c.held, nil
		return
	case !ok:
		c.over = true
	case !done:
		return
	case no == "" && !c.blocks.over && c.tap != nil:
		c.tapHead(f)
		return
	case c.blocks.over: // a trailer, behind which a server would end the connection
		c.held = append(c.held[:begun], spoil(f)...)
	case no != "":
		c.refused(string(no))
		c.held = append(c.held[:begun], spoil(f)...)
		if c.blocks.foreign() {
			c.held = append(announced(f.stream()), c.held...)
		}
	}
	if c.tap != nil {
		c.tapRefused(f, no, ok)
	}
	c.out, c.held = c.held, nil
}

// end reads on for a moment before the server finds the end: until then it says
// why.
func (c *HTTP2) end() error {
	_ = c.Conn.SetReadDeadline(time.Now().Add(refusedWait))
	_, _ = io.CopyN(io.Discard, c.in, mostTrash)
	return io.EOF
}
