package stitch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/klauspost/compress/flate"
)

// Frame is a page with gaps. All that lies between them is packed once, so that to pack
// the whole with what is in the gaps costs little more than to copy it. What is in a gap
// is not packed at all.
type Frame struct{ runs [][]run }

// storedHead is how long the head is of a block that is not packed (RFC 1951, 3.2.4).
const storedHead = 5

// run is a stretch without a gap.
type run struct {
	packed []byte // blocks that end at a byte
	size   int
	sum    uint32
	behind shift
}

// NewFrame makes one of what lies before, between and behind the gaps. same is as in Pack.
func (p *Packer) NewFrame(pieces, same []string) *Frame {
	f := &Frame{}
	for _, piece := range pieces {
		var runs []run
		for _, large := range same {
			if before, after, ok := strings.Cut(piece, large); ok && len(large) >= leastPiece {
				runs = append(runs, newRun(before, loose(before)), newRun(large, p.packed(large)))
				piece = after
			}
		}
		f.runs = append(f.runs, append(runs, newRun(piece, loose(piece))))
	}
	return f
}

func newRun(text string, packed []byte) run {
	return run{packed: packed, size: len(text), sum: crc32.ChecksumIEEE([]byte(text)), behind: shiftBy(len(text))}
}

// loose packs a text by itself.
func loose(text string) []byte {
	if text == "" {
		return nil
	}
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.BestCompression) // there is this level
	_, _ = z.Write([]byte(text))                         // memory takes all
	_ = z.Flush()
	return out.Bytes()
}

// Filling is a frame that is being filled.
type Filling struct {
	frame *Frame
	out   []byte
	next  int // piece
	size  uint32
	sum   uint32
}

// Fill begins to append a frame, up to its first gap.
func (f *Frame) Fill(out []byte) Filling {
	g := Filling{frame: f, out: append(out, header...)}
	g.piece()
	return g
}

// Open is where what is in the next gap is to be appended, of which there may be 64 KiB.
func (g *Filling) Open() []byte { return append(g.out, make([]byte, storedHead)...) }

// Shut takes what Open gave, with what was appended, and goes on up to the gap behind.
func (g *Filling) Shut(with []byte) {
	from := len(g.out)
	text := with[from+storedHead:]
	binary.LittleEndian.PutUint16(with[from+1:], uint16(len(text)))
	binary.LittleEndian.PutUint16(with[from+3:], ^uint16(len(text)))
	g.out = with
	g.sum = crc32.Update(g.sum, crc32.IEEETable, text)
	g.size += uint32(len(text))
	g.piece()
}

func (g *Filling) piece() {
	runs := g.frame.runs[g.next]
	for i := range runs {
		r := &runs[i]
		g.out = append(g.out, r.packed...)
		g.sum = r.behind.of(g.sum) ^ r.sum
		g.size += uint32(r.size)
	}
	g.next++
}

// End ends the gzip file, and gives all that was appended.
func (g *Filling) End() []byte {
	g.out = append(g.out, 3, 0) // the last block, which is empty
	g.out = binary.LittleEndian.AppendUint32(g.out, g.sum)
	return binary.LittleEndian.AppendUint32(g.out, g.size)
}

// shift is what becomes of a checksum when so many bytes of nothing follow: a checksum is
// a remainder of polynomials over bits, so that of two texts one behind the other is that
// of the first, shifted by the length of the second, plus that of the second. By bit of
// the checksum.
type shift [32]uint32

func (s *shift) of(sum uint32) (shifted uint32) {
	for i := 0; sum != 0; i, sum = i+1, sum>>1 {
		shifted ^= s[i] & -(sum & 1)
	}
	return shifted
}

// shiftBy is the shift by so many bytes: that by one bit, doubled for each digit of the
// number, where it counts.
func shiftBy(size int) (by shift) {
	step := shift{crc32.IEEE}
	for i := range by {
		by[i] = 1 << i
		if i > 0 {
			step[i] = 1 << (i - 1)
		}
	}
	for bits := 8 * size; bits > 0; bits >>= 1 {
		if bits&1 == 1 {
			by = step.then(&by)
		}
		step = step.then(&step)
	}
	return by
}

// then is the shift that comes of another, and then of this.
func (s *shift) then(first *shift) (both shift) {
	for i := range both {
		both[i] = s.of(first[i])
	}
	return both
}
