package challenge

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"time"
)

const (
	// Life is how long a challenge is good.
	Life = 5 * time.Minute
	// ahead is by how much the clock of the edge that gave a challenge may be ahead
	// of the one that judges it.
	ahead = 5 * time.Second
	// grace is for how long a challenge is good whatever is asked meanwhile. A phone
	// solves the hardest in one second or two.
	grace = 30 * time.Second
)

// Challenge is asked of somebody who wants a ticket. Whoever has its text may
// answer it, from wherever: a phone that changes from one network to another in
// between has another address, and to whom the work is given does not show in it.
type Challenge struct {
	ID     [16]byte  // random
	Issued time.Time // kept to the millisecond
	Bits   int       // of each puzzle, see Solved; 0: no work is asked
}

// New makes a challenge. With bits 0 it asks for no work.
func New(bits int, now time.Time) Challenge {
	c := Challenge{Issued: now, Bits: bits}
	_, _ = rand.Read(c.ID[:]) // never fails
	return c
}

// Easy reports whether a challenge is of a calmer time than the one in which so many
// bits are asked: of less than half their work, and from longer ago than somebody
// who solves at once may have needed. So nobody lays in cheap ones for the crowd, and
// it is not asked twice whoever came when the crowd did.
func (c Challenge) Easy(bits int, now time.Time) bool {
	return c.Bits < bits-1 && !now.Before(c.Issued.Add(grace))
}

// Expires is the instant from which a challenge is good no more.
func (c Challenge) Expires() time.Time { return c.Issued.Add(Life) }

// stale reports whether a challenge is not of this time: too old, or given by a
// clock that has stepped back since.
func (c Challenge) stale(now time.Time) bool {
	return !now.Before(c.Expires()) || c.Issued.After(now.Add(ahead))
}

// On the wire: a version byte, the bits, the milliseconds of the issue in eight
// bytes, the ID, the MAC, in unpadded base64url: 56 characters.
const (
	wireVersion = 1
	payloadSize = 2 + 8 + 16
	macSize     = 16
	textSize    = ((payloadSize+macSize)*8 + 5) / 6
)

var wireEncoding = base64.RawURLEncoding.Strict()

func (c Challenge) append(b []byte) []byte {
	b = append(b, wireVersion, byte(c.Bits))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Issued.UnixMilli()))
	return append(b, c.ID[:]...)
}

// read reads what append wrote, in payloadSize bytes.
func read(b []byte) (c Challenge, ok bool) {
	c.Bits = int(b[1])
	c.Issued = time.UnixMilli(int64(binary.BigEndian.Uint64(b[2:])))
	copy(c.ID[:], b[10:])
	return c, b[0] == wireVersion && c.Bits <= MostBits
}
