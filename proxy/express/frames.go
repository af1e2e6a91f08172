package express

import "encoding/binary"

// Frames of HTTP/2 (RFC 9113, 4.1 and 6).
const (
	frameHead = 9        // bytes before the payload
	maxFrame  = 16 << 10 // bytes of a payload that every client takes

	typeData         = 0x0
	typeHeaders      = 0x1
	typePriority     = 0x2
	typeReset        = 0x3
	typeSettings     = 0x4
	typePing         = 0x6
	typeGoAway       = 0x7
	typeWindowUpdate = 0x8
	typeContinuation = 0x9

	flagAck        = 0x1
	flagEndStream  = 0x1
	flagEndHeaders = 0x4

	settingTable      = 0x1
	settingStreams    = 0x3
	settingWindow     = 0x4
	settingFrame      = 0x5
	settingHeaderList = 0x6
	setting           = 6 // bytes of one

	tableSize   = 4 << 10   // bytes of the table of fields, as HTTP/2 begins with
	windowBegin = 1<<16 - 1 // of a connection and of each stream (RFC 9113, 6.9.2)
	windowMost  = 1<<31 - 1

	// What net/http's server says of itself.
	windowServer   = 1 << 20 // of each stream
	headerListMore = 10 * 32 // bytes of a head beyond its bound

	errNone         = 0x0
	errFlowControl  = 0x3
	errStreamClosed = 0x5
)

// frame is one with its head, or the head alone.
type frame []byte

func (f frame) length() int     { return int(f[0])<<16 | int(f[1])<<8 | int(f[2]) }
func (f frame) kind() byte      { return f[3] }
func (f frame) stream() uint32  { return binary.BigEndian.Uint32(f[5:]) &^ (1 << 31) }
func (f frame) payload() []byte { return f[frameHead:] }

func (f frame) has(flag byte) bool { return f[4]&flag != 0 }

// number is the one that a frame begins with, or that it is about.
func (f frame) number() uint32 { return binary.BigEndian.Uint32(f[frameHead:]) }

// appendFrame appends the head of a frame.
func appendFrame(to []byte, length int, kind, flags byte, stream uint32) []byte {
	to = append(to, byte(length>>16), byte(length>>8), byte(length), kind, flags)
	return binary.BigEndian.AppendUint32(to, stream)
}

// appendUpdate gives room, in two frames where one cannot say as much.
func appendUpdate(to []byte, by int64) []byte {
	if by > windowMost {
		to = appendUpdate(to, by-windowMost)
		by = windowMost
	}
	to = appendFrame(to, 4, typeWindowUpdate, 0, 0)
	return binary.BigEndian.AppendUint32(to, uint32(by)) //nolint:gosec // within windowMost
}

func appendGoAway(to []byte, last, why uint32) []byte {
	to = appendFrame(to, 8, typeGoAway, 0, 0)
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(to, last), why)
}

// appendData appends a body in as many frames as it needs, of which the last ends the
// stream.
func appendData(to []byte, stream uint32, body []byte) []byte {
	for {
		n, flags := min(len(body), maxFrame), byte(0)
		if n == len(body) {
			flags = flagEndStream
		}
		to = append(appendFrame(to, n, typeData, flags, stream), body[:n]...)
		if body = body[n:]; len(body) == 0 {
			return to
		}
	}
}
