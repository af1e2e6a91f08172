package certs

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/configs"
)

// errSealed says that a value was sealed under a secret that is not configured.
var errSealed = errors.New("sealed under a secret that is not configured, or damaged")

const sealLabel = "waitroom certificates 1"

// A sealer keeps values from whoever can read where they lie: AES-256-GCM with
// random nonces (NIST SP 800-38D), under keys derived by HKDF (RFC 5869) from the
// configured secrets. The first seals, any opens. A value is bound to its name:
// under another it does not open.
type sealer struct {
	keys []cipher.AEAD
}

func newSealer(secrets []configs.Secret) (*sealer, error) {
	s := &sealer{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, sealLabel, sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive key: %w", err)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("derive key: %w", err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("derive key: %w", err)
		}
		s.keys = append(s.keys, aead)
	}
	return s, nil
}

func (s *sealer) seal(name string, value []byte) []byte {
	return s.keys[0].Seal(nil, nil, value, []byte(name))
}

// open gives the value; first reports whether it was sealed under the first
// secret, and not one that is on its way out.
func (s *sealer) open(name string, sealed []byte) (value []byte, first bool, err error) {
	for i, key := range s.keys {
		if value, err := key.Open(nil, nil, sealed, []byte(name)); err == nil {
			return value, i == 0, nil
		}
	}
	return nil, false, errSealed
}
