package configs

// Secret is a value that must not be seen: it prints, formats and marshals as
// [redacted]. The zero value is an unset secret.
type Secret struct {
	value string
}

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal gives the value itself, for the one place that needs it.
func (s Secret) Reveal() string { return s.value }

// IsSet reports whether there is a value.
func (s Secret) IsSet() bool { return s.value != "" }

const redacted = "[redacted]"

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return redacted }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
