package shedding

import (
	"strconv"
	"strings"
)

// form names the way in which a Tail is written. Programs of another version write
// another one, and what they learned is learned again.
const form = "t2"

// String is the tail as ParseTail reads it: about 120 letters, digits and dots.
func (t Tail) String() string {
	if !t.known {
		return ""
	}
	text := append(make([]byte, 0, 256), form...)
	for _, number := range t.numbers() {
		text = strconv.AppendUint(append(text, '.'), *number, 36)
	}
	return string(text)
}

// ParseTail reads what String wrote. Anything else is the zero Tail.
func ParseTail(text string) Tail {
	t := Tail{known: true}
	numbers := t.numbers()
	parts := strings.Split(text, ".")
	if len(parts) != len(numbers)+1 || parts[0] != form {
		return Tail{}
	}
	for i, part := range parts[1:] {
		n, err := strconv.ParseUint(part, 36, 64)
		if err != nil || n > nowhere {
			return Tail{}
		}
		*numbers[i] = n
	}
	if t.String() != text || !t.sound() {
		return Tail{}
	}
	return t
}

// numbers are all there is to a tail.
func (t *Tail) numbers() []*uint64 {
	return []*uint64{
		&t.agreed.since, &t.off, &t.certainty, &t.linePerUnit, &t.conversion, &t.perAccount, &t.invitations,
		&t.at, &t.last.head, &t.last.won, &t.last.lapsed, &t.back,
		&t.base.head, &t.base.won, &t.base.lapsed,
		&t.out.head, &t.out.won, &t.out.lapsed,
		&t.learned.since, &t.ripening, &t.ripe,
		&t.from, &t.words.good, &t.words.better, &t.words.less, &t.words.small,
	}
}

// sound reports whether a tail can have come of looks.
func (t *Tail) sound() bool {
	for _, m := range []mark{t.last, t.base, t.out} {
		if m.lapsed > m.won {
			return false
		}
	}
	return t.base.before(t.last) && t.out.before(t.last) && max(t.ripe, t.ripening) <= t.last.head
}
