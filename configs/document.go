package configs

import (
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A document is one file while it is read: its lines for the faults, the place
// of each key, and the faults themselves.
type document struct {
	name       string
	text       []byte
	lines      []string // what may be shown: secrets masked
	env        func(string) (string, bool)
	keys       []string                    // every key that this kind of file knows, dotted
	alien      func(key string) *complaint // why a key belongs to another kind of file; nil where there is none
	places     map[string]place            // by dotted key, of the keys that are in the file
	saying     map[string]digest           // the same of what they say
	hidden     map[int]bool                // lines on which something is masked that only may be a secret
	meant      map[string]bool             // keys that unknown ones were taken for
	companions []companion                 // files that it names and that were read with it
	now        time.Time                   // when it is read: examples of dates are counted from it
	faults     Faults
}

// A place is where a key's value stands. Lines and columns count from 1.
type place struct {
	line, column int
}

// openDocument reads a file and gives its outermost mapping, or no node and the
// faults that say why there is none.
func openDocument(name string, env func(string) (string, bool), keys []string) (*document, ast.Node) {
	d := newDocument(name, env, keys)
	text, err := readFile(name)
	if err != nil {
		d.blameFile("cannot be read: "+cause(err), "")
		return d, nil
	}
	return d, d.open(text)
}

func newDocument(name string, env func(string) (string, bool), keys []string) *document {
	return &document{name: name, env: env, keys: keys, places: map[string]place{}, saying: map[string]digest{}, hidden: map[int]bool{}, meant: map[string]bool{}}
}

// open gives the outermost mapping of a text, or nil.
func (d *document) open(text []byte) ast.Node {
	d.text = text
	clean, complaint := normalize(text)
	if complaint != nil {
		d.blameFile(complaint.wrong, complaint.right)
		return nil
	}
	d.lines = strings.Split(clean, "\n")
	return d.parse(clean)
}

// blameFile faults the file itself.
func (d *document) blameFile(wrong, right string) { d.add(place{}, "", wrong, right) }

func (d *document) add(at place, key, wrong, right string) {
	d.faults = append(d.faults, Fault{
		File: d.name, Line: at.line, Column: at.column, Key: key, Wrong: wrong, Right: right,
	})
}

// blame faults a key by its dotted path: at its value if the file has it, else at
// the nearest key around it.
func (d *document) blame(key, wrong, right string) {
	d.faults = append(d.faults, d.fault(key, wrong, right))
}

// fault is what blame records, with its line.
func (d *document) fault(key, wrong, right string) Fault {
	if d == nil { // of a Config that was not read from files
		return Fault{Key: key, Wrong: wrong, Right: right}
	}
	f := Fault{File: d.name, Key: key, Wrong: wrong, Right: right}
	for near := key; ; near = parent(near) {
		if at, ok := d.places[near]; ok {
			f.Line, f.Column = at.line, at.column
			if f.bare = near == "" && key != ""; !f.bare {
				f.Source, f.hides = d.line(at.line), d.hidden[at.line]
			}
			return f
		}
		if near == "" {
			return f
		}
	}
}

// has reports whether the file has a key, by its dotted path.
func (d *document) has(key string) bool {
	if d == nil {
		return false
	}
	_, ok := d.places[key]
	return ok
}

// finish gives the faults with their lines, masked as far as is known now that
// the whole file has been read.
func (d *document) finish() Faults {
	for i, f := range d.faults {
		if !f.bare {
			d.faults[i].Source, d.faults[i].hides = d.line(f.Line), d.hidden[f.Line]
		}
	}
	return d.faults
}

func (d *document) line(n int) string {
	if n < 1 || n > len(d.lines) {
		return ""
	}
	return d.lines[n-1]
}

// placeOf is where a token stands; the parser knows no place for a few.
func placeOf(tk *token.Token) place {
	if tk == nil || tk.Position == nil {
		return place{1, 1}
	}
	return place{max(tk.Position.Line, 1), max(tk.Position.Column, 1)}
}

// parent is a dotted key without its last part: "a.b[2]" → "a.b" → "a" → "".
func parent(key string) string {
	return key[:max(strings.LastIndexAny(key, ".["), 0)]
}

// faulted reports whether a key or anything under it has a fault.
func (d *document) faulted(key string) bool {
	for _, f := range d.faults {
		if f.Key == key || strings.HasPrefix(f.Key, key+".") || strings.HasPrefix(f.Key, key+"[") {
			return true
		}
	}
	return false
}
