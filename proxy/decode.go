package proxy

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// decoded is a path as the origin sees it that decodes the most: escapes of escapes
// too, for it may stand behind a chain of proxies, letters that are another form of
// plain ones, and ASCII in two bytes. What is no escape stays.
func decoded(escaped string) string {
	p := unescaped(escaped)
	for range 3 { // a form of a percent sign may make one more escape
		if isASCII(p) {
			break
		}
		p = unescaped(norm.NFKC.String(short(p)))
	}
	return p
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

// short makes of ASCII in two bytes, which no reader should take (RFC 3629, 10),
// ASCII.
func short(p string) string {
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c&^1 == 0xc0 && i+1 < len(p) && p[i+1]&0xc0 == 0x80 {
			i++
			c = c<<6 | p[i]&0x3f
		}
		out = append(out, c)
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
