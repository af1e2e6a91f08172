package framing

// class says where a byte may stand.
type class uint8

const (
	inToken   class = 1 << iota // RFC 9110, 5.6.2
	inValue                     // of a field: visible, blank, tab or above ASCII (RFC 9110, 5.5)
	inTarget                    // visible, or above ASCII as browsers of old and curl send it, but no fragment
	inHost                      // a name or an IPv4 address, as they are registered
	inAddress                   // an IPv6 address
	inHex
	inDigits
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
	add(digits+"abcdefABCDEF", inHex|inAddress)
	add(":.", inAddress)
	add(digits, inDigits)
	t['#'] &^= inTarget
	return t
}()

// text is what HTTP/1 and HTTP/2 bring.
type text interface{ ~string | ~[]byte }

// all reports whether each byte may stand there.
func all[T text](b T, k class) bool {
	for i := range len(b) {
		if classes[b[i]]&k == 0 {
			return false
		}
	}
	return true
}

func index[T text](b T, c byte) int {
	for i := range len(b) {
		if b[i] == c {
			return i
		}
	}
	return -1
}

// trim takes blanks away at both ends.
func trim[T text](b T) T {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// folded compares with a lower-case name as origins do that make variables of
// fields: without case, all that is neither letter nor digit being a hyphen.
func folded[T text](b T, name string) bool {
	if len(b) != len(name) {
		return false
	}
	for i := range len(b) {
		c := lower(b[i])
		if !isAlphanumeric(c) {
			c = '-'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// spelled reports whether a name has other punctuation than hyphens.
func spelled[T text](name T) bool {
	for i := range len(name) {
		if c := lower(name[i]); !isAlphanumeric(c) && c != '-' {
			return true
		}
	}
	return false
}

// isAlphanumeric is for what is in lower case.
func isAlphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// same compares without case.
func same[T text](a, b T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
