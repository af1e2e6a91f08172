package queueing

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"sync"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// What a ticket, a pass or an invitation may be refused for.
var (
	ErrForged  = errors.New("not signed by us for this sale")
	ErrExpired = errors.New("expired")
)

const minSecret = 32 // bytes

// Keyring signs tickets, passes and invitations with its newest secret and
// accepts those of all its secrets. A signature is bound to the kind and to the
// line: a ticket is no pass, and neither is worth anything in another sale, nor
// in another line of the same one, whose numbers begin again.
type Keyring struct {
	tickets, passes, invitations, invited []*macKey // in the order of the secrets
}

// NewKeyring takes one secret or more, each of at least 32 bytes. The first
// signs.
func NewKeyring(secrets []configs.Secret) (*Keyring, error) {
	if len(secrets) == 0 {
		return nil, errors.New("make keyring: no secret, at least one is needed")
	}
	k := &Keyring{}
	for i, s := range secrets {
		value := []byte(s.Reveal())
		if len(value) < minSecret {
			return nil, fmt.Errorf("make keyring: secret %d of %d has %d bytes, at least %d are needed", i+1, len(secrets), len(value), minSecret)
		}
		for _, kind := range []struct {
			label string
			keys  *[]*macKey
		}{
			{"waitroom ticket 1", &k.tickets},
			{"waitroom pass 1", &k.passes},
			{"waitroom invitation 1", &k.invitations},
			{"waitroom invited 1", &k.invited},
		} {
			key, err := newMACKey(value, kind.label)
			if err != nil {
				return nil, fmt.Errorf("make keyring: derive key: %w", err)
			}
			*kind.keys = append(*kind.keys, key)
		}
	}
	return k, nil
}

// SignTicket gives the ticket as a cookie value.
func (k *Keyring) SignTicket(t Ticket) string {
	return seal(k.tickets[0], t.Sale, appendWire(make([]byte, 0, maxWire), t.Number, t.ID, t.Issued))
}

// Ticket reads a cookie value that SignTicket gave for this sale. Anything
// else, down to one altered, missing or added character, is [ErrForged].
func (k *Keyring) Ticket(sale, value string) (Ticket, error) {
	t := Ticket{Sale: sale}
	var buf [maxWire]byte
	payload, key := open(buf[:], k.tickets, sale, value)
	ok := key >= 0
	var rest []byte
	if ok {
		rest, ok = readWire(payload, &t.Number, &t.ID, &t.Issued)
	}
	if !ok || len(rest) > 0 {
		return Ticket{}, ErrForged
	}
	return t, nil
}

// SignPass gives the pass as a cookie value.
func (k *Keyring) SignPass(p Pass) string {
	payload := appendWire(make([]byte, 0, maxWire), p.Number, p.ID, p.Admitted, p.Expires)
	return seal(k.passes[0], p.Sale, append(payload, p.Reservation...))
}

// Pass reads a cookie value that SignPass gave for this sale: [ErrForged] when
// it is not one, [ErrExpired] from its Expires on.
func (k *Keyring) Pass(sale, value string, now time.Time) (Pass, error) {
	p := Pass{Sale: sale}
	var buf [maxWire]byte
	payload, key := open(buf[:], k.passes, sale, value)
	ok := key >= 0
	var rest []byte
	if ok {
		rest, ok = readWire(payload, &p.Number, &p.ID, &p.Admitted, &p.Expires)
	}
	if !ok {
		return Pass{}, ErrForged
	}
	p.Reservation = string(rest)
	if !now.Before(p.Expires) {
		return Pass{}, ErrExpired
	}
	return p, nil
}

// seal appends the MAC and encodes.
func seal(key *macKey, sale string, payload []byte) string {
	return wireEncoding.EncodeToString(key.append(payload, sale, payload))
}

// open decodes into buf and gives the payload with the index of the key that
// signed it, -1 if none did.
func open(buf []byte, keys []*macKey, sale, value string) (payload []byte, signer int) {
	if wireEncoding.DecodedLen(len(value)) > len(buf) {
		return nil, -1
	}
	n, err := wireEncoding.Decode(buf, []byte(value))
	// The decoder skips line breaks; the length tells.
	if err != nil || n <= macSize || wireEncoding.EncodedLen(n) != len(value) {
		return nil, -1
	}
	payload, mac := buf[:n-macSize], buf[n-macSize:n]
	for i, key := range keys {
		var want [macSize]byte
		if hmac.Equal(key.append(want[:0], sale, payload), mac) {
			return payload, i
		}
	}
	return nil, -1
}

// macKey computes HMAC-SHA256, truncated to 16 bytes (RFC 2104, section 5).
type macKey struct {
	pool sync.Pool // of *macState: a keyed hash costs more to make than to run
}

type macState struct {
	hash.Hash
	in  [256]byte
	sum [sha256.Size]byte
}

func newMACKey(secret []byte, label string) (*macKey, error) {
	derived, err := hkdf.Key(sha256.New, secret, nil, label, sha256.Size)
	if err != nil {
		return nil, err
	}
	k := &macKey{}
	k.pool.New = func() any { return &macState{Hash: hmac.New(sha256.New, derived)} }
	return k, nil
}

// append adds the MAC of sale and payload to dst. The sale is prefixed by its
// length, so that no two pairs give the same bytes.
func (k *macKey) append(dst []byte, sale string, payload []byte) []byte {
	m := k.pool.Get().(*macState)
	defer k.pool.Put(m)
	m.Reset()
	in := binary.AppendUvarint(m.in[:0], uint64(len(sale)))
	m.Write(append(append(in, sale...), payload...))
	return append(dst, m.Sum(m.sum[:0])[:macSize]...)
}
