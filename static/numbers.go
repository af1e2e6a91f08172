package static

import (
	"strconv"
	"strings"
)

// numbers is how a language writes whole numbers. Go and the script both write by it, and
// not by what a library or a browser knows of the language, so that a page never changes
// its digits under the reader.
type numbers struct {
	Digits string `json:"digits"` // those for 0 to 9; empty: these
	Group  string `json:"group"`  // between groups of three
	Least  int    `json:"least"`  // digits before the last group of three, for there to be groups
	Lakhs  bool   `json:"lakhs"`  // before the last three, groups are of two
}

// number gives n as the language writes it.
func (w numbers) number(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var out strings.Builder
	for i, digit := range digits {
		if i > 0 && w.begins(len(digits), len(digits)-i) {
			out.WriteString(w.Group)
		}
		out.WriteRune(w.digit(digit))
	}
	return out.String()
}

// begins reports whether a group begins where so many of all digits are left.
func (w numbers) begins(all, left int) bool {
	switch {
	case all < 3+max(w.Least, 1):
		return false
	case w.Lakhs && left > 3:
		return (left-3)%2 == 0
	default:
		return left%3 == 0
	}
}

func (w numbers) digit(ascii rune) rune {
	if w.Digits == "" {
		return ascii
	}
	return []rune(w.Digits)[ascii-'0']
}

// inDigits gives a text with its digits as the language writes them.
func (w numbers) inDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return w.digit(r)
		}
		return r
	}, text)
}

// forScript says the same to the script: from which number on there are groups, and what
// is not as it mostly is.
func (w numbers) forScript() map[string]string {
	told := map[string]string{"group": w.Group, "least": "1" + strings.Repeat("0", 2+max(w.Least, 1))}
	if w.Digits != "" {
		told["digits"] = w.Digits
	}
	if w.Lakhs {
		told["lakhs"] = "1"
	}
	return told
}
