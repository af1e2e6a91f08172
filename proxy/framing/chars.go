package framing

// class says where a byte may stand.
type class uint8

const (
	inToken  class = 1 << iota // RFC 9110, 5.6.2
	inValue                    // of a field: visible, blank, tab or above ASCII (RFC 9110, 5.5)
	inTarget                   // visible, or above ASCII as browsers of old and curl send it, but no fragment
	inHost                     // a name or an IPv4 address, as they are registered
	inHex
)

var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case c == '\t' || c == ' ':
			t[c] = inValue
		case c > ' ' && c != 0x7f:
			t[c] = inValue | inTarget
		}
	}
	add := func(chars string, k class) {
		for _, c := range []byte(chars) {
			t[c] |= k
		}
	}
	const digits, letters = "0123456789", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	add(digits+letters+"!#$%&'*+-.^_`|~", inToken)
	add(digits+letters+"-._", inHost)
	add(digits+"abcdefABCDEF", inHex)
	t['#'] &^= inTarget
	return t
}()

// all reports whether each byte may stand there.
func all(b []byte, k class) bool {
	for _, c := range b {
		if classes[c]&k == 0 {
			return false
		}
	}
	return true
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// folded compares with a lower-case name as origins do that make variables of
// fields: without case, underscores being hyphens.
func folded(b []byte, name string) bool {
	if len(b) != len(name) {
		return false
	}
	for i, c := range b {
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '_':
			c = '-'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// same compares without case.
func same(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}
