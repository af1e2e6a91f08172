package cachetests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What stands between these in docs/cache.md is written here, and nothing else.
const (
	begin = "<!-- written by make caches -->\n"
	end   = "<!-- to here -->\n"
)

// Document is docs/cache.md, as it is and as it is to be.
type Document struct{ path, is, becomes string }

// Tell puts a record into the document, in memory.
func (r Record) Tell() (d Document, err error) {
	dir, err := testdata()
	if err != nil {
		return d, err
	}
	d.path = filepath.Join(dir, "..", "..", "..", "docs", "cache.md")
	text, err := os.ReadFile(d.path)
	if err != nil {
		return d, fmt.Errorf("read document: %w", err)
	}
	d.is = string(text)
	before, rest, opened := strings.Cut(d.is, begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return d, fmt.Errorf("read %s: want the lines %q and %q", d.path, begin, end)
	}
	d.becomes = before + begin + "\n" + r.Markdown() + "\n" + end + after
	return d, nil
}

// Current reports whether the document tells the record already.
func (d Document) Current() bool { return d.is == d.becomes }

// Save replaces the document.
func (d Document) Save() error {
	if err := os.WriteFile(d.path, []byte(d.becomes), 0o644); err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	return nil
}
