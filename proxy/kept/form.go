package kept

import (
	"crypto/sha256"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Most is how many bytes of fields and query are kept. A cookie of them stays below
// 3 KiB.
const Most = 2048

// Field is one of what a form has sent.
type Field struct{ Name, Value string }

// Form is a press of the button that buys.
type Form struct {
	At     time.Time // when it was pressed, kept to the millisecond
	Query  string    // of the address that was posted to, as it was written
	Fields []Field   // in the order in which they were sent, doubles too
	Owner  string    // of whom it is: see Owner; empty: of nobody yet
	Lost   bool      // there was more, or other, than can be kept: then there are no fields

	// Reservation is what was got with it; empty while nothing is. At most 64 bytes.
	Reservation string
}

// Fits makes of a form one that can be kept: as it is, or as one that is lost. Text
// that a page cannot say back byte by byte counts as too much.
func (f Form) Fits() Form {
	size, whole := len(f.Query), true
	for _, one := range f.Fields {
		size += len(one.Name) + len(one.Value) + 2
		whole = whole && sayable(one.Name) && sayable(one.Value)
	}
	if f.Lost || size > Most || !whole {
		return Form{At: f.At, Owner: f.Owner, Lost: true, Reservation: f.Reservation}
	}
	return f
}

// Owner names, in 16 bytes, whom a form is of: who has this name of this kind.
func Owner(kind, name string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	return string(sum[:16])
}

func sayable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// Encoded are the fields as a form sends them.
func (f Form) Encoded() string {
	var out strings.Builder
	for i, one := range f.Fields {
		if i > 0 {
			out.WriteByte('&')
		}
		out.WriteString(url.QueryEscape(one.Name) + "=" + url.QueryEscape(one.Value))
	}
	return out.String()
}
