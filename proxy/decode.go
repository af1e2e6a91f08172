package proxy

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// decoded is a path as the origin sees it that decodes the most: escapes of escapes
// too, for it may stand behind a chain of proxies, letters that are another form of
// plain ones, characters in more bytes than they need, and without what is no
// character or not to be seen. What is no escape stays.
func decoded(escaped string) string { return decodedBy(escaped, short) }

// readings are what origins may make of a path: what is decoded, and where characters
// take more bytes than they need, also what is left without those, which are none by
// the book.
func readings(escaped string) []string {
	p := decoded(escaped)
	if isASCII(escaped) && isASCII(unescaped(escaped)) {
		return []string{p}
	}
	other := decodedBy(escaped, func(p string) string { return p })
	if other == p {
		return []string{p}
	}
	return []string{p, other}
}

// decodedBy decodes until there is nothing left to decode: what was taken away or made
// plain may end an escape. Each of those takes three bytes at least, so that there are
// few rounds.
func decodedBy(escaped string, shorten func(string) string) string {
	p := unescaped(escaped)
	for !isASCII(p) {
		next := unescaped(norm.NFKC.String(visible(shorten(p))))
		if next == p {
			break
		}
		p = next
	}
	return p
}

// visible is a text without what some origins drop: bytes that are no UTF-8, and
// characters that are not shown.
func visible(p string) string {
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || unicode.In(c, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return c
	}, p)
}

// unescaped decodes until there is nothing left to decode, in one pass: what was
// decoded may end another escape, never begin two.
func unescaped(p string) string {
	if !strings.Contains(p, "%") {
		return p
	}
	out := make([]byte, 0, len(p))
	for i := range len(p) {
		out = append(out, p[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			high, low := hexDigit(out[n-2]), hexDigit(out[n-1])
			if high < 0 || low < 0 {
				break
			}
			out = append(out[:n-3], byte(high<<4|low))
		}
	}
	return string(out)
}

// hexDigit is the value of a digit; below 0: it is none.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}

// short makes of characters in more bytes than they need, which no reader should take
// (RFC 3629, 10), what they are.
func short(p string) string {
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); {
		c, n := overlong(p[i:])
		if n == 0 {
			out = append(out, p[i])
			n = 1
		} else {
			out = utf8.AppendRune(out, c)
		}
		i += n
	}
	return string(out)
}

// overlong is the character at the beginning of a text and the bytes that it takes; 0:
// it takes no more than it needs, or is none. There once were forms of up to six bytes
// (RFC 2279).
func overlong(p string) (c rune, n int) {
	n = bits.LeadingZeros8(^p[0])
	if n < 2 || n > 6 || n > len(p) {
		return 0, 0
	}
	c = rune(p[0]) & (1<<(7-n) - 1)
	for i := 1; i < n; i++ {
		if p[i]&0xc0 != 0x80 {
			return 0, 0
		}
		c = c<<6 | rune(p[i]&0x3f)
	}
	if utf8.RuneLen(c) < 0 || utf8.RuneLen(c) >= n {
		return 0, 0
	}
	return c, n
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
