package static

import (
	"net/url"
	"strings"
)

// Field is one hidden input of the buy form.
type Field struct{ Name, Value string }

// Fields are what was chosen before, in the order in which it was chosen. A pair that
// is not understood is nothing that a form has sent, and is left out.
func (v View) Fields() []Field {
	var fields []Field
	for pair := range strings.SplitSeq(v.Kept, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || name == "" {
			continue
		}
		if value, err = url.QueryUnescape(value); err == nil {
			fields = append(fields, Field{name, value})
		}
	}
	return fields
}

// GoesOn reports whether the buy form goes on by itself: not where what it would buy
// was lost.
func (v View) GoesOn() bool { return v.Pressed && !v.Lost }
