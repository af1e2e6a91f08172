package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong in one file, and what would be right.
type Fault struct {
	File         string
	Line, Column int    // from 1, the column in characters; 0: the file as a whole
	Key          string // dotted path of the key, empty when there is none
	Wrong, Right string // "is wrong", "what would be right"; Right may be empty
	Source       string // the offending line with every secret masked

	bare  bool // of a key that is missing from the file: no line offends
	hides bool // what is masked in Source is no secret that we know
}

// String is the fault in one line, followed by the offending line and a caret
// when the place is known:
//
//	sale.yaml:9:7: hold: "300" has no unit, write 300s, 300m or 300h
//	    hold: 300
//	          ^
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	for _, part := range []string{f.Key, f.Wrong} {
		if part != "" {
			b.WriteString(": " + part)
		}
	}
	if f.Right != "" {
		b.WriteString(", " + f.Right)
	}
	if line, caret := excerpt(f.Source, f.Column); line != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s^", line, strings.Repeat(" ", caret))
		if f.hides {
			b.WriteString("  (stars: what an unknown key says may be a secret)")
		}
	}
	return b.String()
}

// Fault is one of a key of the sale's file, by its dotted path: for who knows more about
// what a key may say. A key of a brand that only the operator's file has is one of that.
func (s *Sale) Fault(key, wrong, right string) Fault {
	return nearer(s.src, s.house, key).fault(key, wrong, right)
}

// Fault is a sale's.
func (r *Room) Fault(key, wrong, right string) Fault {
	return nearer(r.src, r.house, key).fault(key, wrong, right)
}

// Fault is one of a key of the operator's file, by its dotted path.
func (c *Config) Fault(key, wrong, right string) Fault { return c.src.fault(key, wrong, right) }

// nearer is the file that says what a key says in a sale.
func nearer(own, house *document, key string) *document {
	for near := key; near != ""; near = parent(near) {
		switch {
		case own.has(near):
			return own
		case house.has(near):
			return house
		}
	}
	return own
}

// Faults is everything that is wrong, as one error.
type Faults []Fault

// Error lists all faults in the order of their files and lines.
func (fs Faults) Error() string {
	lines := make([]string, 0, len(fs))
	for _, f := range fs.sorted() {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

func (fs Faults) sorted() Faults {
	return slices.SortedStableFunc(slices.Values(fs), func(a, b Fault) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// err is nil for no faults: an empty Faults in an error would not be nil.
func (fs Faults) err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs.sorted()
}

// maxExcerpt keeps a file that is one endless line from flooding a terminal.
const maxExcerpt = 120

// excerpt is the part of a line around a column, and the caret's indent in it.
// A tab is shown as one blank, so that the caret stands where it should.
func excerpt(line string, column int) (string, int) {
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	caret := min(max(column-1, 0), len(runes))
	if len(runes) > maxExcerpt {
		from := max(min(caret-maxExcerpt/2, len(runes)-maxExcerpt), 0)
		runes, caret = runes[from:from+maxExcerpt], caret-from
	}
	return strings.TrimRight(string(runes), " "), caret
}

// A complaint is a fault that does not know its place yet: what the functions
// that read one value return.
type complaint struct {
	wrong, right string
}

// complain says what is wrong; advise adds what would be right.
func complain(wrong string, args ...any) *complaint {
	return &complaint{wrong: fmt.Sprintf(wrong, args...)}
}

func (c *complaint) advise(right string) *complaint {
	c.right = right
	return c
}
