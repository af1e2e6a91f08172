package framing

import "encoding/binary"

// goodbye is a GOAWAY frame: length 8, type 7, no flags, stream 0; the highest
// number, NO_ERROR.
var goodbye = []byte{0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// Goodbye tells the client that streams end here, naming the highest number there
// is, so that none that is on its way is lost. A server that stops says so twice
// (RFC 9113, 6.8), and net/http says only the second: which stream was the last.
//
// It is said now or, while something is being written, right behind that; once. It
// may take as long as writing does.
func (c *HTTP2) Goodbye() {
	c.leaving.Store(true)
	c.sayGoodbye()
}

// sayGoodbye says it if it is due and may stand here, unless somebody writes, who
// then looks once more.
func (c *HTTP2) sayGoodbye() {
	if !c.leaving.Load() || !c.writing.TryLock() {
		return
	}
	defer c.writing.Unlock()
	if !c.said && c.sent.between() {
		c.said = true
		_, _ = c.Conn.Write(goodbye) // whoever writes next finds out
	}
}

// Write writes, and counts what the client gets.
func (c *HTTP2) Write(p []byte) (int, error) {
	n, err := c.write(p)
	c.sayGoodbye()
	return n, err
}

func (c *HTTP2) write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	c.sent.forward(p[:n])
	return n, err
}

// outgoing knows where in the frames that are written it stands.
type outgoing struct {
	head  [frameHead]byte
	have  int    // bytes of head
	left  uint32 // bytes of the payload
	whole bool   // at least one went by
}

// forward lets bytes go by.
func (o *outgoing) forward(b []byte) {
	for len(b) > 0 {
		if o.left > 0 {
			n := min(uint32(len(b)), o.left)
			o.left -= n
			b = b[n:]
		} else {
			n := copy(o.head[o.have:], b)
			o.have += n
			b = b[n:]
			if o.have < frameHead {
				return
			}
			o.have, o.left = 0, binary.BigEndian.Uint32(o.head[:])>>8
		}
		o.whole = o.whole || o.left == 0
	}
}

// between reports whether another frame may stand here: the first one must be the
// server's settings.
func (o *outgoing) between() bool { return o.whole && o.have == 0 && o.left == 0 }
