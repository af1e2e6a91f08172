package framing

import (
	"encoding/binary"
	"slices"
)

// Frames of HTTP/2 (RFC 9113, 4.1 and 6).
const (
	frameHead = 9        // bytes before the payload
	maxFrame  = 16 << 10 // bytes of a payload, as every server may insist on

	typeData         = 0x0
	typeHeaders      = 0x1
	typeSettings     = 0x4
	typeWindowUpdate = 0x8
	typeContinuation = 0x9

	flagAck        = 0x1 // of settings
	flagEndStream  = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

// frame is one with its head, or the head alone.
type frame []byte

func (f frame) length() int    { return int(f[0])<<16 | int(f[1])<<8 | int(f[2]) }
func (f frame) kind() byte     { return f[3] }
func (f frame) stream() uint32 { return binary.BigEndian.Uint32(f[5:]) &^ (1 << 31) }

func (f frame) has(flag byte) bool { return f[4]&flag != 0 }

// idle reports whether a frame does nothing for a request by itself, so that who
// sends many of them wants something else: all but heads, bodies and their ends.
func (f frame) idle() bool {
	switch f.kind() {
	case typeHeaders:
		return false
	case typeData:
		nothing := f.length() == 0 || f.has(flagPadded) && f.length() <= 256
		return nothing && !f.has(flagEndStream)
	default:
		return true
	}
}

// fragment is where a frame of a head has its piece of it; false if it is broken.
func (f frame) fragment() (from, to int, ok bool) {
	from, to = frameHead, len(f)
	if f.kind() == typeContinuation {
		return from, to, true
	}
	if f.has(flagPadded) {
		if from++; from > to {
			return 0, 0, false
		}
		to -= int(f[frameHead])
	}
	if f.has(flagPriority) {
		from += 5
	}
	return from, to, from <= to
}

// badField is a literal field ":w" that no table keeps. There is no such
// pseudo-field (RFC 9113, 8.3).
var badField = []byte{0, 2, ':', 'w', 0}

// announced is a head of a stream that a server refuses only once it knows the stream:
// ":method: GET" and nothing else. What comes on that stream behind it is a refused
// one's, which it lets drop, and no idle one's, at which it would end the connection
// (RFC 9113, 5.1).
func announced(stream uint32) frame {
	const get = 0x80 | 2 // of the static table (RFC 7541, appendix A)
	f := frame{0, 0, 1, typeHeaders, flagEndHeaders, 0, 0, 0, 0, get}
	binary.BigEndian.PutUint32(f[5:], stream)
	return f
}

// spoil puts badField at the end of a block, of which f is the last frame.
func spoil(f frame) frame {
	_, to, _ := f.fragment()
	if f.has(flagPadded) {
		f[4] &^= flagPadded
		f = append(f[:frameHead], f[frameHead+1:to]...)
	}
	if at := len(f); at+len(badField) > frameHead+maxFrame {
		f[4] &^= flagEndHeaders
		more := frame{0, 0, 0, typeContinuation, flagEndHeaders, f[5], f[6], f[7], f[8]}
		more.setLength(len(badField))
		f.setLength(at - frameHead)
		return append(append(f, more...), badField...)
	}
	f = append(f, badField...)
	f.setLength(len(f) - frameHead)
	return f
}

const (
	setting      = 6  // bytes of one
	mostSettings = 32 // in one frame: there are fewer than a dozen, and each costs more than it says
)

// lastSettings leaves of each setting that a frame makes more than once the last one,
// which is the one in force behind it (RFC 9113, 6.5.3); net/http takes it ill.
func lastSettings(f frame) frame {
	if f.has(flagAck) || f.length()%setting != 0 {
		return f
	}
	out := append(frame{}, f[:frameHead]...)
	for i := frameHead; i < len(f); i += setting {
		one := f[i : i+setting]
		if !valid(one) {
			return f // it is to be refused
		}
		later := slices.ContainsFunc(slices.Collect(slices.Chunk(f[i+setting:], setting)), func(other frame) bool {
			return string(other[:2]) == string(one[:2])
		})
		if !later {
			out = append(out, one...)
		}
	}
	out.setLength(len(out) - frameHead)
	return out
}

func (f frame) setLength(n int) { f[0], f[1], f[2] = byte(n>>16), byte(n>>8), byte(n) }

// valid reports whether a setting may have its value (RFC 9113, 6.5.2).
func valid(one []byte) bool {
	value := binary.BigEndian.Uint32(one[2:])
	switch binary.BigEndian.Uint16(one) {
	case 0x2: // ENABLE_PUSH
		return value <= 1
	case 0x4: // INITIAL_WINDOW_SIZE
		return value < 1<<31
	case 0x5: // MAX_FRAME_SIZE
		return maxFrame <= value && value < 1<<24
	default:
		return true
	}
}

// ValidSettings reports whether settings, one behind the other, may have their values.
func ValidSettings(all []byte) bool {
	return len(all)%setting == 0 && len(all) <= mostSettings*setting &&
		!slices.ContainsFunc(slices.Collect(slices.Chunk(all, setting)), func(one []byte) bool { return !valid(one) })
}
