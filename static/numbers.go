package static

import "strconv"

// numbers is how a language writes whole numbers, with the digits 0 to 9 in all that there
// are. Go and the script both write by it, and not by what a library or a browser knows of
// the language, so that no number changes its looks under the reader.
type numbers struct {
	Group string `json:"group"` // between groups of three
	Least int    `json:"least"` // digits before the last group of three, for there to be groups
	Lakhs bool   `json:"lakhs"` // before the last three, groups are of two
}

// number gives n as the language writes it.
func (w numbers) number(n uint64) string { return string(w.appendNumber(nil, n)) }

// appendNumber appends it.
func (w numbers) appendNumber(b []byte, n uint64) []byte {
	var digits [20]byte
	text := strconv.AppendUint(digits[:0], n, 10)
	for i, digit := range text {
		if i > 0 && w.begins(len(text), len(text)-i) {
			b = append(b, w.Group...)
		}
		b = append(b, digit)
	}
	return b
}

// begins reports whether a group begins where so many of all digits are left.
func (w numbers) begins(all, left int) bool {
	switch {
	case all < 3+w.Least:
		return false
	case w.Lakhs && left > 3:
		return (left-3)%2 == 0
	default:
		return left%3 == 0
	}
}
