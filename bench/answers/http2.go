package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"strconv"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// What a browser would grant, so that no answer waits for it.
const (
	streamWindow = 6 << 20
	connWindow   = 1 << 30
)

// two is a connection over HTTP/2. Its streams are asked for in one write, and the next
// ones once all have been answered, which lets every server gather as it can.
type two struct {
	*tls.Conn
	target
	framer *http2.Framer
	out    bytes.Buffer // what the framer writes
	decode *hpack.Decoder
	block  []byte // of the request, once the table at the server has all its fields
	first  []byte // of the first request
	next   uint32 // stream
	want   string // status
	status string // of the block that was read last
	seen   int    // bytes of bodies since the window was opened again
	bodies map[uint32]int
}

func newTwo(c *tls.Conn, t target) (*two, error) {
	two := &two{Conn: c, target: t, next: 1, want: strconv.Itoa(t.ask.status), bodies: map[uint32]int{}}
	two.framer = http2.NewFramer(&two.out, bufio.NewReaderSize(c, 4<<10))
	two.framer.SetReuseFrames()
	two.decode = hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		if f.Name == ":status" {
			two.status = f.Value
		}
	})
	two.first, two.block = blocks(t)
	two.out.WriteString(http2.ClientPreface)
	_ = two.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow}) // a buffer takes all
	_ = two.framer.WriteWindowUpdate(0, connWindow)
	return two, two.flush()
}

// blocks are the request as it goes first, and as it goes from then on, when all fields
// are indexed.
func blocks(t target) (first, then []byte) {
	var out bytes.Buffer
	e := hpack.NewEncoder(&out)
	encode := func() []byte {
		out.Reset()
		for _, f := range append([][2]string{{":method", t.ask.method}, {":scheme", "https"}, {":authority", shop}, {":path", t.ask.path}}, t.ask.fields(t.ticket)...) {
			_ = e.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}) // a buffer takes all
		}
		return bytes.Clone(out.Bytes())
	}
	return encode(), encode()
}

func (c *two) flush() error {
	_, err := c.Write(c.out.Bytes())
	c.out.Reset()
	return err
}

func (c *two) talk() error {
	for range c.streams {
		block := c.block
		if c.first != nil {
			block, c.first = c.first, nil
		}
		_ = c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.next, BlockFragment: block, EndStream: true, EndHeaders: true}) // a buffer takes all
		c.next += 2
	}
	if err := c.flush(); err != nil {
		return err
	}
	for done := 0; done < c.streams; {
		f, err := c.framer.ReadFrame()
		if err != nil {
			return fmt.Errorf("read answer to %s: %w", c.ask.path, err)
		}
		ended, err := c.take(f)
		if err != nil {
			return err
		}
		if ended {
			done++
		}
	}
	return nil
}

// take is true of a frame that ends an answer.
func (c *two) take(frame http2.Frame) (ended bool, err error) {
	switch f := frame.(type) {
	case *http2.HeadersFrame:
		if _, err := c.decode.Write(f.HeaderBlockFragment()); err != nil {
			return false, err
		}
		if c.status != c.want || !f.HeadersEnded() || f.StreamEnded() {
			return false, c.unwanted(c.status)
		}
		return false, nil
	case *http2.DataFrame:
		return f.StreamEnded(), c.count(f)
	case *http2.SettingsFrame:
		if f.IsAck() {
			return false, nil
		}
		_ = c.framer.WriteSettingsAck() // a buffer takes all
		return false, c.flush()
	case *http2.PingFrame:
		if f.IsAck() {
			return false, nil
		}
		_ = c.framer.WritePing(true, f.Data) // a buffer takes all
		return false, c.flush()
	case *http2.WindowUpdateFrame:
		return false, nil
	}
	return false, fmt.Errorf("got %v of %s", frame, c.at)
}

// count sums up a body, and opens the connection's window again in time.
func (c *two) count(f *http2.DataFrame) error {
	id, n := f.StreamID, int(f.Length)
	c.bodies[id] += n
	if f.StreamEnded() {
		if c.bodies[id] == 0 {
			return c.unwanted(c.status)
		}
		delete(c.bodies, id)
	}
	if c.seen += n; c.seen < connWindow/2 {
		return nil
	}
	_ = c.framer.WriteWindowUpdate(0, uint32(c.seen)) // a buffer takes all
	c.seen = 0
	return c.flush()
}
