package express

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"github.com/waitroom/waitroom/proxy/framing"
)

var (
	errOver = errors.New("the client goes on where it ended")
	errLate = errors.New("the client takes too long")
)

// HTTP2 is a connection over HTTP/2 of which a server reads what is left for it. What
// the server writes passes through in whole frames, between which the lane writes its
// own.
//
// Streams up to passed are the server's to know. Those above it that have begun were
// answered at once, and are over: so none of them needs to be remembered.
type HTTP2 struct {
	*framing.HTTP2
	lane   *Lane
	server string // its name in the handshake
	most   int

	// Of who reads.
	begun    uint32    // the highest stream
	settings []byte    // the client's, until a server has them
	settled  bool      // they have come
	unheard  int       // settings of the greeting, 1 or 0, that the client has not acknowledged
	served   bool      // a server has the connection
	answered bool      // a stream, since the deadline was set
	ending   bool      // what is read is thrown away
	readBy   time.Time // the deadline in force

	writing
}

// HTTP2 takes a connection over TLS, whose handshake was for a name. most and refused
// are those of framing.ScreenHTTP2. place is what is made of it. Await comes next.
func (l *Lane) HTTP2(conn net.Conn, name string, most int, refused func(reason string), place func(*HTTP2) Place) *HTTP2 {
	c := &HTTP2{lane: l, server: name, most: most, unheard: 1}
	c.out, c.window, c.stream = out{lane: l, conn: conn}, windowBegin, windowBegin
	c.free.L = &c.mu
	c.HTTP2 = framing.ScreenTapped(reading{conn, c}, most, refused, tap2{c})
	c.screen, c.place = c.HTTP2, place(c)
	c.greet()
	return c
}

// greet is the server's side of the preface, as the server says it that may come: then
// it does not have to be said again. A net/http that says other numbers than those of
// frames.go is heard as well, in settings of its own (see takeSettings, and
// TestHTTP2Settings). It is written with the first answer: a client has
// something to say at once.
func (c *HTTP2) greet() {
	b := appendFrame(nil, 5*setting, typeSettings, 0, 0)
	b = appendSetting(b, settingFrame, maxFrame)
	b = appendSetting(b, settingStreams, c.lane.streams)
	b = appendSetting(b, settingHeaderList, uint32(c.most)+headerListMore) //nolint:gosec // a few KiB
	b = appendSetting(b, settingTable, tableSize)
	c.greeting = appendSetting(b, settingWindow, windowServer)
	c.add(c.greeting, nil)
}

func appendSetting(to []byte, id uint16, value uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(to, id), value)
}

// Await answers until something comes that only the server can answer, which then has
// the connection; an error ends it.
func (c *HTTP2) Await() error {
	is, err := c.Preface()
	if is {
		err = c.HTTP2.Await()
	}
	if err == nil {
		err = c.handOver(is)
	}
	if err != nil {
		c.end(errNone)
		c.settle() // by now somebody else may say that
	}
	return err
}

// handOver tells the server what it has missed: the client's settings, and what room
// there is.
func (c *HTTP2) handOver(begun bool) error {
	more, may := c.hand()
	if !may {
		return net.ErrClosed
	}
	c.served = true
	if !begun {
		return nil // it finds that by itself
	}
	var first []byte
	if c.settled {
		first = append(appendFrame(nil, len(c.settings), typeSettings, 0, 0), c.settings...)
		if c.unheard == 0 {
			first = appendFrame(first, 0, typeSettings, flagAck, 0)
		}
	}
	if more > 0 {
		first = appendUpdate(first, more)
	}
	c.unheard, c.settings = 0, nil // which the server is to hear of
	c.Begin(first)
	return nil
}

// Write takes what the server writes.
func (c *HTTP2) Write(p []byte) (int, error) {
	if err := c.writeOf(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// SetReadDeadline does nothing: the lane knows who is idle, and a server does not.
func (c *HTTP2) SetReadDeadline(time.Time) error { return nil }

// SetDeadline does nothing, as those below.
func (c *HTTP2) SetDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing: each write has its time.
func (c *HTTP2) SetWriteDeadline(time.Time) error { return nil }

// Close closes it.
func (c *HTTP2) Close() error {
	c.fail(net.ErrClosed)
	return c.HTTP2.Close()
}

// Goodbye tells the client that streams end here, naming the highest number there is, so
// that none that is on its way is lost (RFC 9113, 6.8). It may take as long as writing
// does.
func (c *HTTP2) Goodbye() { c.goodbye() }

// Part ends a connection that no server has, naming the last stream that was answered,
// behind the answers. Like Goodbye, it may take as long as writing does.
func (c *HTTP2) Part() {
	if c.partNow() {
		c.end(errNone)
		c.settle()
		_ = c.place.Close()
	}
}

// reading is the connection under framing. Before it is waited for more, all that is
// answered is written, but for the greeting.
type reading struct {
	net.Conn
	of *HTTP2
}

func (r reading) Read(p []byte) (int, error) {
	c := r.of
	for {
		if !c.readBy.IsZero() {
			if err := c.flush(); err != nil {
				return 0, err
			}
		}
		c.expect()
		n, err := r.Conn.Read(p)
		late, ok := errors.AsType[net.Error](err)
		switch {
		case n > 0 || !ok || !late.Timeout() || !c.served || c.ending:
			return n, err
		case !c.works(c.lane.times.Idle / 2):
			c.end(errNone)
			return 0, io.EOF
		}
		c.answered = true // not by the lane, but it is not idle
	}
}

// SetReadDeadline is framing's, for what is read and thrown away in the end.
func (r reading) SetReadDeadline(by time.Time) error {
	r.of.ending = true
	return r.Conn.SetReadDeadline(by)
}

// expect gives the client its time: for its settings, and from each answer to what
// follows it.
func (c *HTTP2) expect() {
	if c.ending || !c.answered && !c.readBy.IsZero() {
		return
	}
	long := c.lane.times.Idle
	if !c.settled {
		long = c.lane.times.Head
	}
	c.answered = false
	now := time.Now()
	if left := c.readBy.Sub(now); left > long || left < long-long/16 {
		c.readBy = now.Add(long)
		_ = c.out.conn.SetReadDeadline(c.readBy)
	}
}
