package queueing

import (
	"encoding/binary"
	"time"
)

// Invitation lets whoever holds its link stand before the draw. It is known by
// its number alone: the same one on two devices is one turn and one account.
type Invitation struct {
	Sale    string // configs.Sale.Key: one run of one sale
	Number  uint64
	ID      [8]byte   // of its tickets; a keyed hash, given by Keyring.Invitation
	Expires time.Time // kept to the millisecond; zero: with the sale's closing
}

// Ticket is the ticket of the invitation. All of them are alike but for the
// moment.
func (i Invitation) Ticket(now time.Time) Ticket {
	return Ticket{Sale: i.Sale, Number: Number{Value: i.Number, Invited: true}, ID: i.ID, Issued: now}
}

// On the wire: a version byte, the number and the milliseconds of the expiry as
// uvarints, the MAC.
const invitationVersion = 1

// SignInvitation gives the invitation as it stands in a link. Its ID is not part
// of it.
func (k *Keyring) SignInvitation(i Invitation) string {
	b := append(make([]byte, 0, maxWire), invitationVersion)
	b = binary.AppendUvarint(b, i.Number)
	b = binary.AppendUvarint(b, expiryMillis(i.Expires))
	return seal(k.invitations[0], i.Sale, b)
}

// Invitation reads what SignInvitation gave for this sale: [ErrForged] when it is
// not that, to the letter, [ErrExpired] from its Expires on. The ID hangs on the
// secret that signed the link, so it stays the link's own when the secrets change.
func (k *Keyring) Invitation(sale, value string, now time.Time) (Invitation, error) {
	var buf [maxWire]byte
	payload, signer := open(buf[:], k.invitations, sale, value)
	if signer < 0 || payload[0] != invitationVersion {
		return Invitation{}, ErrForged
	}
	number, n := binary.Uvarint(payload[1:])
	if n <= 0 {
		return Invitation{}, ErrForged
	}
	millis, m := binary.Uvarint(payload[1+n:])
	if m <= 0 || 1+n+m != len(payload) {
		return Invitation{}, ErrForged
	}
	i := Invitation{Sale: sale, Number: number, ID: k.invitedID(signer, sale, number)}
	if millis > 0 {
		i.Expires = time.UnixMilli(int64(millis))
		if !now.Before(i.Expires) {
			return Invitation{}, ErrExpired
		}
	}
	return i, nil
}

// invitedID is the first bytes of a MAC over sale and number.
func (k *Keyring) invitedID(signer int, sale string, number uint64) (id [8]byte) {
	var sum [macSize]byte
	copy(id[:], k.invited[signer].append(sum[:0], sale, binary.BigEndian.AppendUint64(nil, number)))
	return id
}

func expiryMillis(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(t.UnixMilli(), 1)) // 0 says that there is none
}
