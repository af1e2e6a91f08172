package queueing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// Ticket proves that its bearer entered this line with this number, or was
// invited. With a [Snapshot] it is enough to say where its bearer stands.
type Ticket struct {
	Sale   string // the sale's line, see Snapshot.Line; of an invited one configs.Sale.Key
	Number Number
	ID     [8]byte   // of line and number, or the invitation's
	Issued time.Time // kept to the millisecond
}

// NewTicket is the ticket of a number that was given in a line, see Snapshot.Line.
// Its ID follows from both, so that who is given a number again, on another device,
// holds the same ticket. It is but a name: what counts is the signature.
func NewTicket(line string, n Number, now time.Time) Ticket {
	label := "waitroom ticket ID 1"
	if n.Behind {
		label = "waitroom ticket ID behind 1"
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(label+"\x00"+line+"\x00"), n.Value))
	return Ticket{Sale: line, Number: n, ID: [8]byte(sum[:8]), Issued: now}
}

// Account names an anonymous shopper to the gate and the ledger.
func (t Ticket) Account() string { return account(t.ID) }

// Pass lets one ticket through to one sale's gate until it expires.
type Pass struct {
	Sale              string    // the sale's line, see Snapshot.Line; or configs.Sale.Key once it got a reservation
	Number            Number    // the ticket's
	ID                [8]byte   // the ticket's
	Admitted, Expires time.Time // kept to the millisecond
	Reservation       string    // what it got at the gate; empty until then; at most 64 bytes
}

// Account is that of the pass's ticket.
func (p Pass) Account() string { return account(p.ID) }

// Generation numbers the ten minutes in which the pass was first given: claims
// of one turn, however often they are repeated, give passes of one generation. Where
// passes are matched to units, several that follow each other may share one.
func (p Pass) Generation() int64 { return p.Admitted.UnixMicro() / generation.Microseconds() }

func account(id [8]byte) string { return string(AppendAccount(nil, id)) }

// AccountSize is how many bytes an account has that a ticket names.
const AccountSize = len(accountPrefix) + 2*8

const accountPrefix = "ticket-"

// AppendAccount appends the account of the ticket, or of the pass, with this ID.
func AppendAccount(b []byte, id [8]byte) []byte {
	return hex.AppendEncode(append(b, accountPrefix...), id[:])
}

// On the wire: a version byte, from version 2 on a byte of flags, the number as
// a uvarint, the 8 bytes of the ID, the instants as uvarints of Unix
// milliseconds, in a pass the reservation up to the end, the 16 bytes of the
// MAC, all of it in unpadded base64url. At most 120 bytes sealed, 160 characters.
// What needs no flag is written in version 1, which every edge reads.
const (
	wirePlain      = 1
	wireFlagged    = 2
	flagInvited    = 1 << 0
	flagBehind     = 1 << 1
	macSize        = 16
	maxReservation = 64
	maxWire        = 2 + 3*binary.MaxVarintLen64 + 8 + maxReservation + macSize
)

var wireEncoding = base64.RawURLEncoding.Strict()

func appendWire(b []byte, n Number, id [8]byte, instants ...time.Time) []byte {
	switch {
	case n.Invited:
		b = append(b, wireFlagged, flagInvited)
	case n.Behind:
		b = append(b, wireFlagged, flagBehind)
	default:
		b = append(b, wirePlain)
	}
	b = binary.AppendUvarint(b, n.Value)
	b = append(b, id[:]...)
	for _, t := range instants {
		b = binary.AppendUvarint(b, uint64(max(t.UnixMilli(), 0)))
	}
	return b
}

// readWire reads what appendWire wrote and gives the rest. What it reads was
// authenticated before, so it only guards against payloads of another version.
func readWire(b []byte, number *Number, id *[8]byte, instants ...*time.Time) (rest []byte, ok bool) {
	switch {
	case len(b) > 0 && b[0] == wirePlain:
		b = b[1:]
	case len(b) > 1 && b[0] == wireFlagged && (b[1] == flagInvited || b[1] == flagBehind): // nobody is both
		number.Invited, number.Behind = b[1] == flagInvited, b[1] == flagBehind
		b = b[2:]
	default:
		return nil, false
	}
	var n int
	number.Value, n = binary.Uvarint(b)
	if n <= 0 || len(b[n:]) < len(id) {
		return nil, false
	}
	b = b[n+copy(id[:], b[n:]):]
	for _, t := range instants {
		ms, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, false
		}
		*t = time.UnixMilli(int64(ms))
		b = b[n:]
	}
	return b, true
}
