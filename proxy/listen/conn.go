package listen

import (
	"bufio"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// What a client still sends after we closed is read and thrown away for so long
// and so much: bytes that nobody reads make the kernel answer with a reset, and a
// reset takes away from the client what it has not read yet (RFC 9112, 9.6).
const (
	lingerWait = time.Second
	lingerMost = 256 << 10 // bytes
)

// conn is a connection as it came, under TLS if there is any.
type conn struct {
	net.Conn // *net.TCPConn
	roll     *roll
	ahead    *bufio.Reader // read beyond the PROXY header; nil: nothing
	client   net.Addr      // as the PROXY header says; nil: who is at the other end
	own      bool          // a proxy's, as its PROXY header says: of no client that has an address
	from     netip.Prefix  // whom it counts for; the zero one: nobody
	standing standing      // in the roll, which guards it
	greeted  bool          // the handshake is over
	stirred  atomic.Int64  // when it was last answered without a server, Unix nanoseconds; 0: never
	writing  atomic.Bool   // something is on its way to the client

	closing sync.Once
	closed  atomic.Bool
}

// RemoteAddr is the client's address.
func (c *conn) RemoteAddr() net.Addr {
	if c.client != nil {
		return c.client
	}
	return c.Conn.RemoteAddr()
}

func (c *conn) Read(b []byte) (int, error) {
	if c.closed.Load() {
		return 0, net.ErrClosed
	}
	if c.ahead != nil {
		if c.ahead.Buffered() > 0 {
			return c.ahead.Read(b)
		}
		c.ahead = nil
	}
	n, err := c.Conn.Read(b)
	if !c.greeted && isTimeout(err) && !c.closed.Load() {
		return c.look(b, err)
	}
	return n, err
}

// Write gives a client whom we have answered in the handshake its time anew: what
// went by was ours.
func (c *conn) Write(b []byte) (int, error) {
	if c.closed.Load() {
		return 0, net.ErrClosed
	}
	if !c.greeted {
		c.expect()
	}
	c.writing.Store(true)
	defer c.writing.Store(false)
	return c.Conn.Write(b)
}

// awake is when it was last not idle, though the roll was not told, as nobody is whose
// answers come without a server.
func (c *conn) awake() time.Time {
	if c.writing.Load() {
		return time.Now()
	}
	return time.Unix(0, c.stirred.Load())
}

// expect gives a client its time to say what is next in the handshake.
func (c *conn) expect() { _ = c.SetDeadline(time.Now().Add(helloWait)) }

// greets ends the handshake: from here on whoever has the connection gives the client its
// time. It comes before anybody else can write there.
func (c *conn) greets() {
	c.greeted = true
	_ = c.SetDeadline(time.Time{})
}

// CloseWrite says that nothing more will come.
func (c *conn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

// Close says that nothing more will come, and lets go once the client has heard
// it, or has had the time to. It does not wait for that; who waits for the roll
// does.
func (c *conn) Close() error {
	c.closing.Do(func() {
		c.closed.Store(true)
		c.roll.closed(c)
		_ = c.SetDeadline(time.Unix(1, 0)) // for those who read or write now
		go c.linger()
	})
	return nil
}

func (c *conn) linger() {
	defer c.roll.leave(c)
	defer func() { _ = c.Conn.Close() }()
	if c.CloseWrite() != nil {
		return // the client is gone
	}
	_ = c.SetReadDeadline(time.Now().Add(lingerWait))
	_, _ = io.CopyN(io.Discard, c.Conn, lingerMost)
}

// cut ends a connection that has nothing to hear any more, or that lingers.
func (c *conn) cut() {
	c.closing.Do(func() { c.closed.Store(true) })
	_ = c.Conn.Close()
	c.roll.leave(c)
}
