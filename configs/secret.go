package configs

import (
	"fmt"
	"io"
)

// Secret is a value that must not be seen: it prints, formats and marshals as
// [redacted]. The zero value is an unset secret.
//
// It keeps a pointer, for fmt does not ask the methods of what lies in another
// type's unexported field: there an address is printed. So == compares two
// secrets by where they come from; compare what Reveal gives, in constant time.
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

const redacted = "[redacted]"

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// Format implements fmt.Formatter, so that no verb shows the value.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
