package configs

import (
	"crypto/subtle"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Secret is a value that must not be seen: it prints, formats and marshals as
// [redacted]. The zero value is an unset secret.
//
// It keeps a pointer, for fmt does not ask the methods of what lies in another
// type's unexported field: there an address is printed. So == compares two
// secrets by where they come from; Matches compares values.
type Secret struct {
	value *string
}

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal gives the value itself, for the one place that needs it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsSet reports whether there is a value.
func (s Secret) IsSet() bool { return s.Reveal() != "" }

// Matches reports whether somebody gave this very value, in a time that tells
// nothing of it but its length. Nothing matches an unset secret.
func (s Secret) Matches(given string) bool {
	return s.IsSet() && subtle.ConstantTimeCompare([]byte(given), []byte(s.Reveal())) == 1
}

const redacted = "[redacted]"

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// Format implements fmt.Formatter, so that no verb shows the value.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// What follows reads secrets, and never quotes what it refuses.

const makeSecret = "make one with: openssl rand -base64 32"

// minSecret is in bytes: the length of the keys that are derived from a secret.
const minSecret = 32

// minToken is in characters: 32 hexadecimal digits are common, and half of them is
// what a person may write.
const minToken = 16

// signingSecret reads a secret that signs.
func signingSecret(text string) (Secret, *complaint) {
	text = strings.TrimSpace(text)
	if len(text) < minSecret {
		return Secret{}, complain("%d bytes long", len(text)).advise(fmt.Sprintf("at least %d, %s", minSecret, makeSecret))
	}
	return NewSecret(text), nil
}

// bearerToken reads what a caller of an API proves itself with (RFC 6750).
func bearerToken(text string) (Secret, *complaint) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' ' }) {
		return Secret{}, complain("holds what cannot be sent in a header").advise(makeSecret)
	}
	return NewSecret(text), nil
}

// checkSecret reads what a provider of checks knows us by.
func checkSecret(text string) (Secret, *complaint) {
	if text = strings.TrimSpace(text); text == "" {
		return Secret{}, complain("empty").advise("write the one that its provider gave you")
	}
	return NewSecret(text), nil
}

// jwtKey reads an HMAC secret or a PEM public key.
func jwtKey(text string) (Secret, *complaint) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "-----BEGIN") {
		return signingSecret(text)
	}
	const right = "write the public key that begins with -----BEGIN PUBLIC KEY-----"
	block, _ := pem.Decode([]byte(text + "\n"))
	if block == nil {
		return Secret{}, complain("not a whole PEM block").advise(right)
	}
	if block.Type != "PUBLIC KEY" {
		return Secret{}, complain("not a public key").advise(right)
	}
	if _, err := x509.ParsePKIXPublicKey(block.Bytes); err != nil {
		return Secret{}, complain("not a public key that is understood").advise(right)
	}
	return NewSecret(text), nil
}
