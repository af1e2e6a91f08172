package challenge

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

// What a text may be refused for.
var (
	ErrForged = errors.New("not signed by us for this sale")
	ErrStale  = errors.New("not of this time")
)

// Signer signs challenges with its first secret and accepts those of all.
type Signer struct {
	keys []*key // in the order of the secrets
}

// NewSigner takes the edge's secrets, as configs has checked them.
func NewSigner(secrets []configs.Secret) (*Signer, error) {
	s := &Signer{}
	for _, secret := range secrets {
		derived, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "waitroom challenge 1", sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive key of challenges: %w", err)
		}
		s.keys = append(s.keys, newKey(derived))
	}
	if len(s.keys) == 0 {
		return nil, errors.New("derive key of challenges: no secret, at least one is needed")
	}
	return s, nil
}

// Sign gives the text of a challenge for one sale (its key in stores).
func (s *Signer) Sign(sale string, c Challenge) string {
	b := c.append(make([]byte, 0, payloadSize+macSize))
	return wireEncoding.EncodeToString(s.keys[0].append(b, sale, b))
}

// Open reads what Sign gave for this sale: [ErrForged] when it is not that, to the
// letter, [ErrStale] when it is not of this time.
func (s *Signer) Open(sale, text string, now time.Time) (Challenge, error) {
	var b [payloadSize + macSize]byte
	if len(text) != textSize {
		return Challenge{}, ErrForged
	}
	// The decoder skips line breaks, so fewer bytes may come out.
	if n, err := wireEncoding.Decode(b[:], []byte(text)); err != nil || n != len(b) {
		return Challenge{}, ErrForged
	}
	if !s.signed(sale, b[:payloadSize], b[payloadSize:]) {
		return Challenge{}, ErrForged
	}
	c, ok := read(b[:payloadSize])
	switch {
	case !ok:
		return Challenge{}, ErrForged // by another version of us
	case c.stale(now):
		return Challenge{}, ErrStale
	}
	return c, nil
}

func (s *Signer) signed(sale string, payload, mac []byte) bool {
	for _, k := range s.keys {
		var want [macSize]byte
		if hmac.Equal(k.append(want[:0], sale, payload), mac) {
			return true
		}
	}
	return false
}

// key computes HMAC-SHA256, truncated to 16 bytes (RFC 2104, section 5), as the keyring
// of queueing does. The two know nothing of each other, and are too small to put another
// package under both; what either has signed is nothing to the other, by its label.
type key struct {
	pool sync.Pool // of *state: a keyed hash costs more to make than to run
}

type state struct {
	hash.Hash
	in  [128]byte
	sum [sha256.Size]byte
}

func newKey(derived []byte) *key {
	k := &key{}
	k.pool.New = func() any { return &state{Hash: hmac.New(sha256.New, derived)} }
	return k
}

// append adds the MAC of sale and payload to dst. The sale is prefixed by its
// length, so that no two pairs give the same bytes.
func (k *key) append(dst []byte, sale string, payload []byte) []byte {
	s := k.pool.Get().(*state)
	defer k.pool.Put(s)
	s.Reset()
	in := binary.AppendUvarint(s.in[:0], uint64(len(sale)))
	s.Write(append(append(in, sale...), payload...))
	return append(dst, s.Sum(s.sum[:0])[:macSize]...)
}
