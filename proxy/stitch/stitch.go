package stitch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/flate"
)

// mostPieces is how many pieces lie ready, some ten kilobytes each: a page has two, and
// there are as many times so many as there are languages and faces of the shop.
const mostPieces = 256

// leastPiece is the size, in bytes, from which it pays to pack a piece by itself.
const leastPiece = 512

// window is how far back a block may refer, in bytes.
const window = 32 << 10

// Packer keeps packed what is the same in many pages. It is safe for use by many at
// once.
type Packer struct {
	pieces  *lru.Cache[string, []byte]
	writers sync.Pool // of *flate.Writer: each has large tables
}

// NewPacker makes one that has nothing ready.
func NewPacker() *Packer {
	pieces, _ := lru.New[string, []byte](mostPieces) // only sizes below one fail
	p := &Packer{pieces: pieces}
	p.writers.New = func() any {
		z, _ := flate.NewWriter(nil, flate.DefaultCompression) // there is this level
		return z
	}
	return p
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
	from := 0
	for _, piece := range same {
		at := -1
		if len(piece) >= leastPiece {
			at = bytes.Index(page[from:], []byte(piece))
		}
		if at < 0 {
			continue
		}
		p.own(&out, page, from, from+at, secret)
		out.Write(p.packed(piece))
		from += at + len(piece)
	}
	p.own(&out, page, from, len(page), secret)
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

// own puts in what is one page's, from one byte to another. Where that is much it says
// what of it is like the page before it, as far back as a reader remembers (RFC 1951,
// 2): the texts of most are.
func (p *Packer) own(out *bytes.Buffer, page []byte, from, to int, secret bool) {
	b := page[from:to]
	switch {
	case secret:
		store(out, b)
	case len(b) < leastPiece:
		_ = flate.StatelessDeflate(out, b, false, nil) // memory takes all
	default:
		z := p.writers.Get().(*flate.Writer)
		defer p.writers.Put(z)
		z.ResetDict(out, page[max(0, from-window):from])
		_, _ = z.Write(b)
		_ = z.Flush()
	}
}

// store puts in bytes as they are, in stored blocks, each at a byte's beginning (RFC
// 1951, 3.2.4).
func store(out *bytes.Buffer, b []byte) {
	for len(b) > 0 {
		n := min(len(b), math.MaxUint16)
		var head [5]byte
		binary.LittleEndian.PutUint16(head[1:], uint16(n))
		binary.LittleEndian.PutUint16(head[3:], ^uint16(n))
		out.Write(head[:])
		out.Write(b[:n])
		b = b[n:]
	}
}
