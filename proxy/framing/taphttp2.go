package framing

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"

	"golang.org/x/net/http2/hpack"
)

// TapHTTP2 stands between a screen of HTTP/2 and the server, and may answer streams
// itself, or the connection before there is a server.
type TapHTTP2 interface {
	// Head gets a block that came whole and clean, with all its fields, which are valid
	// until it returns. False: it goes on to the server. After an error nothing does.
	Head(h HeadHTTP2) (taken bool, err error)
	// Refused is told that a head goes on that a server is to refuse.
	Refused(stream uint32)
	// Frame gets any other frame, whole but for one with a body, which is its head alone.
	// What it returns goes on: the frame, another one, or nothing. It may be kept until the
	// next call. An error is the end of the connection behind what goes on.
	Frame(f []byte) (on []byte, err error)
}

// HeadHTTP2 is a block that begins a stream, or a trailer of one.
type HeadHTTP2 struct {
	Stream uint32
	Fields []hpack.HeaderField
	First  bool // of its stream
	Ends   bool // no body follows
	Bound  bool // to its own stream, which is an error (RFC 9113, 5.3): a server's to see
}

// ScreenTapped is ScreenHTTP2 with a Tap, which says what the client has got by Wrote.
// Once the Tap has taken a head, those behind it reach the server in words of its own,
// with the same fields in the same order.
func ScreenTapped(conn net.Conn, most int, refused func(reason string), tap TapHTTP2) *HTTP2 {
	c := ScreenHTTP2(conn, most, refused)
	c.tap = tap
	c.blocks.keep = true
	c.first.Reader = conn
	return c
}

// awaitFrame waits without a buffer for the first byte of a frame that does not go on with
// a block. What came with it lies ready under it.
func (c *HTTP2) awaitFrame() error {
	if c.tap == nil || c.in.Buffered() > 0 || len(c.held) > 0 {
		return nil
	}
	c.lay()
	n, err := c.Conn.Read(c.first.byte[:])
	c.first.has = n > 0
	c.pick()
	if n > 0 {
		return nil
	}
	return err
}

// tools are what a connection reads with, which those that are idle leave to others.
type tools struct {
	in    *bufio.Reader
	block frame
	held  []byte
	kept  []hpack.HeaderField
}

var spare = sync.Pool{New: func() any { return &tools{in: bufio.NewReaderSize(nil, buffer)} }}

func (c *HTTP2) lay() {
	t := c.tools
	if t == nil {
		t = &tools{}
	}
	c.in.Reset(nil)
	clear(c.blocks.kept)
	t.in, t.block, t.kept = c.in, c.block, c.blocks.kept[:0]
	t.held = c.held
	c.in, c.block, c.blocks.kept, c.held, c.tools = nil, nil, nil, nil, nil
	if cap(t.block) <= buffer && cap(t.held) <= buffer && cap(t.kept) <= lastGone {
		spare.Put(t)
	}
}

func (c *HTTP2) pick() {
	t := spare.Get().(*tools) //nolint:errcheck // they all are
	c.tools, c.in, c.block, c.blocks.kept, c.held = t, t.in, t.block, t.kept, t.held
	c.in.Reset(&c.first)
}

// first is what is read behind a byte that was read before.
type first struct {
	io.Reader
	byte [1]byte
	has  bool
}

func (f *first) Read(p []byte) (int, error) {
	if f.has && len(p) > 0 {
		f.has = false
		return copy(p, f.byte[:]), nil
	}
	return f.Reader.Read(p)
}

// Preface reads what a client begins with. False: it is something else, which a server
// finds as it is.
func (c *HTTP2) Preface() (is bool, err error) {
	b, err := c.in.Peek(len(preface))
	if err != nil {
		return false, err
	}
	if c.begun = string(b) == preface; c.begun {
		_, _ = c.in.Discard(len(preface)) // they are there
	}
	return c.begun, nil
}

// Await reads until there is something that only a server can answer.
func (c *HTTP2) Await() error {
	for len(c.out) == 0 && c.left == 0 {
		if c.over {
			return c.end()
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// Begin gives a server these frames, behind a preface, before anything else.
func (c *HTTP2) Begin(frames []byte) {
	c.out = append(append([]byte(preface), frames...), c.out...)
}

// Wrote counts what the client has got.
func (c *HTTP2) Wrote(n int) { c.written.Add(int64(n)) }

// tapHead offers a block that is whole to the Tap. What is let through is in words of
// its own once one was not: the server does not know what those words mean that it has
// not seen.
func (c *HTTP2) tapHead(f frame) {
	b := c.blocks
	h := HeadHTTP2{Stream: f.stream(), Fields: b.kept, First: !b.later, Ends: b.ends, Bound: b.bound()}
	switch taken, err := c.tap.Head(h); {
	case err != nil:
		c.held, c.over = c.held[:0], true
		return
	case taken:
		c.held, c.own = c.held[:0], true
		return
	}
	if c.own {
		c.held = c.words.head(c.held[:0], h, b.priority)
	}
	c.out, c.held = c.held, nil
}

// tapRefused says in words of its own what the server is to refuse: it takes those of
// the client for others once it has not seen all.
func (c *HTTP2) tapRefused(f frame, no Refusal, ok bool) {
	b, stream := c.blocks, f.stream()
	if !b.later {
		c.tap.Refused(stream)
	}
	flags := byte(0)
	if b.ends {
		flags = flagEndStream
	}
	switch {
	case !c.own:
	case !ok:
		c.held = appendBlock(nil, stream, flags, badIndex)
	case no == Large && !b.later:
		c.held, c.words = largeHead(stream, b.most), words{}
		c.held[4] = flagEndHeaders | flags
	case b.foreign():
		c.held = appendBlock(announced(stream), stream, flags, badField)
	default:
		c.held = appendBlock(nil, stream, flags, badField)
	}
}

// badIndex is a field that no table has (RFC 7541, 6.1).
var badIndex = []byte{0x80}

// mostTapped bounds a frame that the Tap gets whole.
const mostTapped = frameHead + mostSettings*setting

// tapFrame offers a frame that is no block.
func (c *HTTP2) tapFrame(f frame) error {
	size, left := frameHead+f.length(), 0
	if f.kind() == typeData || size > mostTapped {
		size, left = frameHead, f.length()
	}
	f = frame(c.small[:size])
	if _, err := io.ReadFull(c.in, f); err != nil {
		return err
	}
	if f.kind() == typeSettings {
		f = lastSettings(f)
	}
	on, err := c.tap.Frame(f)
	switch {
	case err != nil:
		c.over, left = true, 0
	case len(on) == 0 && left > 0:
		_, err = c.in.Discard(left)
		return err
	}
	c.out, c.left = append(c.out, on...), left
	return nil
}

// readFrame reads a frame of a block; its bytes are good until the next one.
func (c *HTTP2) readFrame(size int) (frame, error) {
	if c.tap == nil {
		c.block = make(frame, size)
	} else {
		c.block = slices.Grow(c.block[:0], size)[:size]
	}
	_, err := io.ReadFull(c.in, c.block)
	return c.block, err
}

// words are an encoder of heads for a server that knows what it has told it, and
// nothing else.
type words struct {
	block   bytes.Buffer
	encoder *hpack.Encoder
}

// head puts a block together, in as many frames as it needs.
func (w *words) head(to []byte, h HeadHTTP2, priority []byte) []byte {
	if w.encoder == nil {
		w.encoder = hpack.NewEncoder(&w.block)
		w.encoder.SetMaxDynamicTableSize(tableSize) // whatever the client has made of it
	}
	w.block.Reset()
	flags := byte(0)
	if h.Ends {
		flags = flagEndStream
	}
	if len(priority) > 0 {
		flags |= flagPriority
		w.block.Write(priority)
	}
	for _, f := range h.Fields {
		_ = w.encoder.WriteField(f) // a buffer takes all
	}
	return appendBlock(to, h.Stream, flags, w.block.Bytes())
}

// appendBlock appends the frames of a block.
func appendBlock(to []byte, stream uint32, flags byte, block []byte) []byte {
	kind := byte(typeHeaders)
	for {
		n := min(len(block), maxFrame)
		if n == len(block) {
			flags |= flagEndHeaders
		}
		to = append(to, byte(n>>16), byte(n>>8), byte(n), kind, flags)
		to = binary.BigEndian.AppendUint32(to, stream)
		to = append(to, block[:n]...)
		if block = block[n:]; len(block) == 0 {
			return to
		}
		kind, flags = typeContinuation, 0
	}
}
