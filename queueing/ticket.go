package queueing

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// Ticket proves that its bearer entered this line with this number. With a
// [Snapshot] it is enough to say where its bearer stands.
type Ticket struct {
	Sale   string // the sale's line, see Snapshot.Line
	Number uint64
	ID     [8]byte   // random
	Issued time.Time // kept to the millisecond
}

// Account names an anonymous shopper to the gate and the ledger.
func (t Ticket) Account() string { return account(t.ID) }

// Pass lets one ticket through to one sale's gate until it expires.
type Pass struct {
	Sale              string // the sale's line, see Snapshot.Line; or configs.Sale.Key once it got a reservation
	Number            uint64
	ID                [8]byte   // the ticket's
	Admitted, Expires time.Time // kept to the millisecond
	Reservation       string    // what it got at the gate; empty until then; at most 64 bytes
}

// Account is that of the pass's ticket.
func (p Pass) Account() string { return account(p.ID) }

// Generation numbers the ten minutes in which the pass was first given: claims
// of one turn, however often they are repeated, give passes of one generation.
func (p Pass) Generation() int64 { return p.Admitted.UnixMicro() / generation.Microseconds() }

func account(id [8]byte) string { return "ticket-" + hex.EncodeToString(id[:]) }

// On the wire: a version byte, the number as a uvarint, the 8 bytes of the ID,
// the instants as uvarints of Unix milliseconds, in a pass the reservation up to
// the end, the 16 bytes of the MAC, all of it in unpadded base64url. At most 119
// bytes sealed, 159 characters.
const (
	wireVersion    = 1
	macSize        = 16
	maxReservation = 64
	maxWire        = 1 + 3*binary.MaxVarintLen64 + 8 + maxReservation + macSize
)

var wireEncoding = base64.RawURLEncoding.Strict()

func appendWire(b []byte, number uint64, id [8]byte, instants ...time.Time) []byte {
	b = append(b, wireVersion)
	b = binary.AppendUvarint(b, number)
	b = append(b, id[:]...)
	for _, t := range instants {
		b = binary.AppendUvarint(b, uint64(max(t.UnixMilli(), 0)))
	}
	return b
}

// readWire reads what appendWire wrote and gives the rest. What it reads was
// authenticated before, so it only guards against payloads of another version.
func readWire(b []byte, instants ...*time.Time) (number uint64, id [8]byte, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != wireVersion {
		return 0, id, nil, false
	}
	b = b[1:]
	number, n := binary.Uvarint(b)
	if n <= 0 || len(b[n:]) < len(id) {
		return 0, id, nil, false
	}
	b = b[n+copy(id[:], b[n:]):]
	for _, t := range instants {
		ms, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, id, nil, false
		}
		*t = time.UnixMilli(int64(ms))
		b = b[n:]
	}
	return number, id, b, true
}
