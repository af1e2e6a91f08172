package proxy

import "encoding/binary"

// frames follows the frames of a WebSocket (RFC 6455, 5.2) through the pieces in
// which they happen to come. It looks at their heads alone.
type frames struct {
	head   [14]byte // of the frame that is read, as far as it has come
	have   int      // bytes of head
	left   uint64   // bytes of the payload still to come
	closes bool     // a close frame has begun
}

// between reports whether one frame is over and no other has begun.
func (f *frames) between() bool { return f.have == 0 && f.left == 0 }

// skip follows b to the end of the frame that is under way, or of the next one,
// and returns how many bytes that is: all of them if the frame goes on behind b.
func (f *frames) skip(b []byte) int {
	n := 0
	for f.left == 0 && n < len(b) {
		f.head[f.have] = b[n]
		f.have++
		n++
		if f.have == f.size() {
			f.begin()
			if f.left == 0 {
				return n
			}
		}
	}
	payload := min(f.left, uint64(len(b)-n))
	f.left -= payload
	return n + int(payload)
}

// size is the length of the head, as far as that is known.
func (f *frames) size() int {
	if f.have < 2 {
		return 2
	}
	n := 2
	switch f.head[1] & 0x7f {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if f.head[1]&0x80 != 0 {
		n += 4 // the mask
	}
	return n
}

// begin reads a head that is complete.
func (f *frames) begin() {
	f.left = uint64(f.head[1] & 0x7f)
	switch f.left {
	case 126:
		f.left = uint64(binary.BigEndian.Uint16(f.head[2:]))
	case 127:
		f.left = binary.BigEndian.Uint64(f.head[2:])
	}
	f.closes = f.closes || f.head[0]&0x0f == 0x8
	f.have = 0
}

// goingAway is a close frame with 1001 (RFC 6455, 5.5.1 and 7.4.1): from us as the
// server, and from us as the client, whose frames are masked; a mask of zero masks
// as well as any where there is nothing that anybody chose.
var (
	goingAway       = []byte{0x88, 2, 0x03, 0xe9}
	goingAwayMasked = []byte{0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9}
)
