package framing

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// largeHead is a head in one frame that is larger than so many bytes, as a server counts
// them: a field in the table, and that again and again.
func largeHead(stream uint32, most int) frame {
	const again = 0x80 | 62 // the newest of the table (RFC 7541, 6.1)
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	large := hpack.HeaderField{Name: "x", Value: strings.Repeat("x", tableSize/2)}
	for _, f := range []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "large"}, {Name: ":path", Value: "/"}, large} {
		_ = encoder.WriteField(f) // a buffer takes all
	}
	times := (most+slack)/len(large.Value) + 1
	f := frame{0, 0, 0, typeHeaders, flagEndHeaders | flagEndStream, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(f[5:], stream)
	f = slices.Concat(f, block.Bytes(), bytes.Repeat([]byte{again}, times))
	f.setLength(len(f) - frameHead)
	return f
}
