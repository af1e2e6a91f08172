package framing

import (
	"encoding/binary"
	"errors"
	"slices"

	"golang.org/x/net/http2/hpack"
)

const (
	tableSize = 4 << 10 // bytes of the table of fields, as HTTP/2 begins with
	fieldCost = 32      // bytes that a field counts beside its text (RFC 9113, 6.5.2)
	slack     = 4 << 10 // bytes beyond its limit that net/http reads of a head, and then answers 431
	lastGone  = 128     // refused streams that are remembered
)

// blocks reads the heads and trailers of one HTTP/2 connection, in pieces.
type blocks struct {
	most   int // bytes of a head
	fields *hpack.Decoder
	head   headHTTP2
	size   int
	last   uint32 // highest stream that has begun
	stream uint32 // whose block is read now; 0: none
	later  bool   // the stream has begun before, so it may be a trailer
	asks   bool   // it has pseudo-fields, so it is none, whatever it may be
	ends   bool   // no body follows
	no     Refusal
	long   bool // a field is larger than a head may be

	gone     []uint32 // streams that were refused and go on, a ring of lastGone; nil: there was none
	goneNext int
	over     bool // the block is of one of them

	keep     bool                // what is in a block, beside what bears on framing
	kept     []hpack.HeaderField // of the block that is read now
	priority []byte              // of it, as it came; none: it has no such fields
}

func newBlocks(most int) *blocks {
	b := &blocks{most: most}
	b.fields = hpack.NewDecoder(tableSize, b.field)
	b.fields.SetMaxStringLength(most + slack)
	return b
}

// follows reports whether a frame may stand here.
func (b *blocks) follows(f frame) bool {
	if b.stream == 0 {
		return f.kind() != typeContinuation
	}
	return f.kind() == typeContinuation && f.stream() == b.stream
}

// read takes one frame of a block that follows. It is done with the last one, and
// then says what it thinks of the whole; false: it cannot be read.
func (b *blocks) read(f frame) (done bool, no Refusal, ok bool) {
	from, to, ok := f.fragment()
	if !ok || f.stream() == 0 {
		return false, "", false
	}
	if b.stream == 0 {
		b.begin(f)
	}
	if _, err := b.fields.Write(f[from:to]); err != nil {
		b.long = errors.Is(err, hpack.ErrStringLength)
		return false, "", false
	}
	if !f.has(flagEndHeaders) {
		return false, "", true
	}
	stream := b.stream
	b.stream = 0
	if err := b.fields.Close(); err != nil {
		return false, "", false
	}
	if b.no == "" && (b.asks || !b.later) {
		b.no = b.head.judge(b.ends)
	}
	if b.foreign() && !b.ends {
		if b.gone == nil {
			b.gone = make([]uint32, lastGone)
		}
		b.gone[b.goneNext] = stream
		b.goneNext = (b.goneNext + 1) % lastGone
	}
	return true, b.no, true
}

// foreign reports whether the block that was read begins a stream that the server would
// not know once it has refused it. One that is too large it answers.
func (b *blocks) foreign() bool { return b.no != "" && b.no != Large && !b.later }

// tooLarge reports whether a head of which so many bytes were read can only be refused,
// and before its end: a server would take it for a flood.
func (b *blocks) tooLarge(read int) bool {
	return !b.later && (b.long || b.stream != 0 && (b.no == Large || read > b.most+slack))
}

func (b *blocks) begin(f frame) {
	b.stream = f.stream()
	b.later, b.asks = b.stream <= b.last, false
	b.over = b.later && slices.Contains(b.gone, b.stream)
	b.last = max(b.last, b.stream)
	b.ends = f.has(flagEndStream)
	b.head, b.size, b.no = headHTTP2{}, 0, ""
	b.fields.SetEmitEnabled(true)
	b.kept, b.priority = b.kept[:0], b.priority[:0]
	if from, _, ok := f.fragment(); b.keep && ok && f.has(flagPriority) {
		b.priority = append(b.priority, f[from-5:from]...)
	}
}

// bound reports whether the block's stream depends on itself.
func (b *blocks) bound() bool {
	return len(b.priority) > 0 && binary.BigEndian.Uint32(b.priority)&^(1<<31) == b.last && !b.later
}

func (b *blocks) field(f hpack.HeaderField) {
	if b.no != "" {
		return
	}
	if b.keep {
		b.kept = append(b.kept, f)
	}
	b.size += len(f.Name) + len(f.Value) + fieldCost
	b.asks = b.asks || f.IsPseudo()
	switch {
	case b.size > b.most+slack:
		b.no = Large
		b.fields.SetEmitEnabled(false)
	case b.later && !b.asks:
		b.no = trailerHTTP2(f.Name, f.Value)
	default:
		b.no = b.head.readField(f.Name, f.Value)
	}
}
