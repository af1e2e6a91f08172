package stitch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/flate"
)

// mostPieces is how many pieces lie ready, some ten kilobytes each: a page has four, and
// there are as many times so many as there are languages and faces of the shop.
const mostPieces = 256

// leastPiece is the size, in bytes, from which it pays to pack a piece by itself.
const leastPiece = 512

// Packer keeps packed what is the same in many pages. It is safe for use by many at
// once.
type Packer struct {
	pieces *lru.Cache[string, []byte]
}

// NewPacker makes one that has nothing ready.
func NewPacker() *Packer {
	pieces, _ := lru.New[string, []byte](mostPieces) // only sizes below one fail
	return &Packer{pieces: pieces}
}

// header is that of a gzip file of which nothing is told (RFC 1952, 2.3.1).
var header = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

// Pack gives a page as a gzip file. same are parts of it that many pages have, in the
// order in which they stand there; one that is not found is packed like the rest. With
// secret, the rest is not packed but only put in.
func (p *Packer) Pack(page []byte, same []string, secret bool) []byte {
	var out bytes.Buffer
	out.Grow(len(page)/3 + 1<<10)
	out.Write(header)
	rest := page
	for _, piece := range same {
		at := -1
		if len(piece) >= leastPiece {
			at = bytes.Index(rest, []byte(piece))
		}
		if at < 0 {
			continue
		}
		own(&out, rest[:at], secret)
		out.Write(p.packed(piece))
		rest = rest[at+len(piece):]
	}
	own(&out, rest, secret)
	out.Write([]byte{3, 0}) // the last block, which is empty
	var tail [8]byte
	binary.LittleEndian.PutUint32(tail[:4], crc32.ChecksumIEEE(page))
	binary.LittleEndian.PutUint32(tail[4:], uint32(len(page)))
	out.Write(tail[:])
	return out.Bytes()
}

// packed gives a piece as blocks that end at a byte.
func (p *Packer) packed(piece string) []byte {
	if b, ok := p.pieces.Get(piece); ok {
		return b
	}
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.BestCompression) // there is this level
	_, _ = z.Write([]byte(piece))                        // memory takes all
	_ = z.Flush()
	p.pieces.Add(piece, out.Bytes())
	return out.Bytes()
}

// own puts in what is one page's.
func own(out *bytes.Buffer, b []byte, secret bool) {
	if !secret {
		_ = flate.StatelessDeflate(out, b, false, nil) // memory takes all
		return
	}
	for len(b) > 0 {
		n := min(len(b), math.MaxUint16)
		var head [5]byte // of a stored block at a byte's beginning (RFC 1951, 3.2.4)
		binary.LittleEndian.PutUint16(head[1:], uint16(n))
		binary.LittleEndian.PutUint16(head[3:], ^uint16(n))
		out.Write(head[:])
		out.Write(b[:n])
		b = b[n:]
	}
}
