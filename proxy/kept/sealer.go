package kept

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// maxText is the longest text of a form that fits, in characters.
const maxText = 3000

var wireEncoding = base64.RawURLEncoding.Strict()

// Sealer seals forms with its first secret and opens those of all.
type Sealer struct {
	keys []cipher.AEAD // in the order of the secrets
}

// NewSealer takes the edge's secrets, as configs has checked them.
func NewSealer(secrets []configs.Secret) (*Sealer, error) {
	s := &Sealer{}
	for _, secret := range secrets {
		key, err := newKey(secret)
		if err != nil {
			return nil, fmt.Errorf("derive key of kept forms: %w", err)
		}
		s.keys = append(s.keys, key)
	}
	if len(s.keys) == 0 {
		return nil, errors.New("derive key of kept forms: no secret, at least one is needed")
	}
	return s, nil
}

// newKey is the key of kept forms that comes of a secret.
func newKey(secret configs.Secret) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "waitroom form 1", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal gives a form that fits as text, for one run of a sale (its key in stores).
func (s *Sealer) Seal(sale string, f Form) string {
	return wireEncoding.EncodeToString(s.keys[0].Seal(nil, nil, f.append(nil), []byte(sale)))
}

// Open reads what Seal gave for this run; ok is false for anything else.
func (s *Sealer) Open(sale, text string) (f Form, ok bool) {
	if len(text) > maxText || strings.ContainsAny(text, "\r\n") { // the decoder skips those
		return Form{}, false
	}
	sealed, err := wireEncoding.DecodeString(text)
	if err != nil {
		return Form{}, false
	}
	for _, key := range s.keys {
		if plain, err := key.Open(nil, nil, sealed, []byte(sale)); err == nil {
			return read(plain)
		}
	}
	return Form{}, false
}

// Inside: a version byte, a byte of flags, the instant as a uvarint of Unix
// milliseconds, and then texts, each behind its length as a uvarint: the owner, the
// reservation, the query, and name and value of each field in turn.
const (
	wireVersion = 2
	flagLost    = 1
)

func (f Form) append(b []byte) []byte {
	flags := byte(0)
	if f.Lost {
		flags = flagLost
	}
	b = append(b, wireVersion, flags)
	b = binary.AppendUvarint(b, uint64(max(f.At.UnixMilli(), 0)))
	b = appendText(appendText(appendText(b, f.Owner), f.Reservation), f.Query)
	for _, one := range f.Fields {
		b = appendText(appendText(b, one.Name), one.Value)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// read reads what append wrote. It was authenticated before, so this only guards
// against what another version of us has written.
func read(b []byte) (f Form, ok bool) {
	if len(b) < 2 || b[0] != wireVersion || b[1]&^flagLost != 0 {
		return Form{}, false
	}
	f.Lost = b[1] == flagLost
	ms, n := binary.Uvarint(b[2:])
	if n <= 0 {
		return Form{}, false
	}
	f.At, b, ok = time.UnixMilli(int64(ms)), b[2+n:], true
	text := func() (t string) {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			b, ok = nil, false
			return ""
		}
		t, b = string(b[n:n+int(size)]), b[n+int(size):]
		return t
	}
	f.Owner, f.Reservation, f.Query = text(), text(), text()
	for ok && len(b) > 0 {
		f.Fields = append(f.Fields, Field{text(), text()})
	}
	return f, ok
}
