package configs

import (
	"strings"
	"unicode"
)

// The files whose names begin with slip know how people write who do not write such
// files every day: what they typed, put right, becomes the advice. It never becomes the
// value: nobody finds out on the day of a sale what was guessed.

// tidied is a text without what text programs and keyboards put into it unseen, and
// what that was; the same text where there is nothing of it.
func tidied(text string) (clean, why string) {
	note := func(reason string) {
		if why == "" {
			why = reason
		}
	}
	clean = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("“”„‟«»‘’‚‹›", r):
			note("has the quotation marks of a text program")
			return -1
		case strings.ContainsRune("‐‑‒–—―−", r):
			note("has a dash that only looks like -")
			return '-'
		case strings.ContainsRune("\u200b\u200c\u200d\u2060\ufeff\u00ad", r):
			note("holds a character that cannot be seen")
			return -1
		case r != ' ' && unicode.Is(unicode.Zs, r):
			note("holds a space that is not an ordinary one")
			return ' '
		case r >= '！' && r <= '～':
			note("is written in wide characters")
			return r - '！' + '!'
		}
		return r
	}, text)
	if trimmed := strings.TrimRight(clean, ",; "); trimmed != strings.TrimRight(clean, " ") {
		note("has a mark behind it that does not belong there")
		clean = trimmed
	}
	return strings.Join(strings.Fields(clean), " "), why
}

// tidy says of a text that could not be read what is in it unseen, if it can be read
// without that.
func tidy[V any](text string, parse func(string) (V, *complaint)) *complaint {
	clean, why := tidied(text)
	if clean == text || clean == "" || strings.ContainsFunc(text, breaksLine) {
		return nil
	}
	if why == "" {
		why = "holds more than one space"
	}
	if _, c := parse(clean); c != nil {
		if strings.HasPrefix(c.right, "write ") {
			return complain("%q %s", text, why).advise(c.right)
		}
		return nil
	}
	return complain("%q %s", text, why).advise("write " + clean)
}
