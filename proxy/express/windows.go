package express

import (
	"encoding/binary"
	"errors"
	"slices"
)

// mostOwed is how many bytes more a server may write than there is room for, all of which
// may come to be held: it is never kept from writing, for that would keep back what needs
// no room, too.
const mostOwed = 512 << 10

// errWindow is a client that gives more room than there may be (RFC 9113, 6.9.1).
var errWindow = errors.New("the window is too large")

// windows are what a client takes of bodies on a connection. The server behind it
// believes in more room by what the lane has used: owed bytes. What it writes beyond
// the room that there is is held, in its order, until there is more. While something is
// held, the window is 0.
type windows struct {
	window int64 // of the connection
	stream int64 // of each stream in the beginning
	owed   int64
	handed bool // a server has the connection
	held   []held
}

// held is a frame, or a block, that waits.
type held struct {
	stream uint32
	frames frame
}

// spend takes room for a body that is written whole; false: there is not enough.
func (w *windows) spend(n int) bool {
	body := int64(n)
	if len(w.held) > 0 || body > w.window || body > w.stream || w.handed && w.owed+body > mostOwed {
		return false
	}
	w.window -= body
	if w.handed {
		w.owed += body
	}
	return true
}

// hand lets a server in, which believes in windowBegin bytes. more is to be told to it.
func (w *windows) hand() (more int64) {
	w.handed = true
	w.owed = max(0, windowBegin-w.window)
	return max(0, w.window-windowBegin)
}

// grow takes more room. on is what of it the server is to know.
func (w *windows) grow(by int64) (on int64, err error) {
	if w.window += by; w.window > windowMost {
		return 0, errWindow
	}
	eaten := min(by, w.owed)
	w.owed -= eaten
	return by - eaten, nil
}

// holdsOf reports whether something of a stream is held.
func (w *windows) holdsOf(stream uint32) bool {
	return slices.ContainsFunc(w.held, func(h held) bool { return h.stream == stream })
}

// holdsBlock reports whether a block is held.
func (w *windows) holdsBlock() bool {
	return slices.ContainsFunc(w.held, func(h held) bool { return h.frames.kind() == typeHeaders })
}

// holdsEnd reports whether the end of a stream is held, and so all that is before it.
func (w *windows) holdsEnd(stream uint32) bool {
	return slices.ContainsFunc(w.held, func(h held) bool {
		return h.stream == stream && h.frames.kind() <= typeHeaders && h.frames.has(flagEndStream)
	})
}

// write appends a frame, or a block, of the server's, or holds it. Blocks keep their
// order, whatever their streams: each may change what those behind it mean (RFC 7541,
// 2.2).
func (w *windows) write(to []byte, f frame) []byte {
	n := 0
	if f.kind() == typeData {
		n = f.length()
	}
	switch {
	case len(w.held) == 0 && int64(n) <= w.window:
	case n > 0, w.holdsOf(f.stream()), f.kind() == typeHeaders && w.holdsBlock():
		w.held = append(w.held, held{f.stream(), slices.Clone(f)})
		return w.release(to)
	}
	w.window -= int64(n)
	return append(to, f...)
}

// release appends of what is held as much as there is room for now.
func (w *windows) release(to []byte) []byte {
	for len(w.held) > 0 {
		f := w.held[0].frames
		switch {
		case f.kind() != typeData || int64(f.length()) <= w.window:
			w.held[0] = held{}
			w.held = w.held[1:]
		case w.window <= 0:
			return to
		default:
			f = w.split(int(w.window))
		}
		if f.kind() == typeData {
			w.window -= int64(f.length())
		}
		to = append(to, f...)
	}
	w.held = nil
	return to
}

// split cuts the first n bytes off a body that is held.
func (w *windows) split(n int) frame {
	whole := w.held[0].frames
	first := append(appendFrame(nil, n, typeData, 0, whole.stream()), whole.payload()[:n]...)
	rest := appendFrame(nil, whole.length()-n, typeData, whole[4], whole.stream())
	w.held[0].frames = append(rest, whole.payload()[n:]...)
	return first
}

// drop forgets what is held of a stream that is over, and appends what waited only for
// that. Its blocks stay: the client hears them for what they make of those behind them.
func (w *windows) drop(to []byte, stream uint32) []byte {
	w.held = slices.DeleteFunc(w.held, func(h held) bool {
		if h.stream != stream || h.frames.kind() == typeHeaders {
			return false
		}
		if h.frames.kind() == typeData {
			w.owed -= int64(h.frames.length())
		}
		return true
	})
	return w.release(to)
}

// units gives each frame, or block, that is whole to take: the first n bytes of p.
func units(p []byte, take func(frame)) (n int) {
	for {
		size := unit(p[n:])
		if size == 0 {
			return n
		}
		take(frame(p[n : n+size]))
		n += size
	}
}

// unit is how long the first frame is, with all that belongs to its block; 0: it is not
// whole.
func unit(p []byte) (size int) {
	for {
		rest := p[size:]
		if len(rest) < frameHead {
			return 0
		}
		f := frame(rest)
		if len(rest) < frameHead+f.length() {
			return 0
		}
		size += frameHead + f.length()
		if f.kind() != typeHeaders && f.kind() != typeContinuation || f.has(flagEndHeaders) {
			return size
		}
	}
}

// putLast names another last stream in a GOAWAY.
func putLast(f frame, last uint32) { binary.BigEndian.PutUint32(f[frameHead:], last) }
