package arrows

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// unfinished matches what marks a place that somebody meant to come back to.
// It is written so that it does not match itself.
var unfinished = regexp.MustCompile(`\b(TO[D]O|FIX[M]E|XX[X])\b|panic\("(not |un)implemented`)

// written are the kinds of file that people write by hand here.
var written = []string{".go", ".lua", ".sql", ".html", ".css", ".js", ".md", ".yaml", ".yml", ".sh"}

func TestNothingIsLeftUnfinished(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("find module: %v", err)
	}
	tree := os.DirFS(strings.TrimSpace(string(out)))
	places, files, err := unfinishedPlaces(tree)
	if err != nil {
		t.Fatalf("walk tree: %v", err)
	}
	for _, place := range places {
		t.Error(place)
	}
	if files == 0 {
		t.Error("no file was read")
	}
}

// unfinishedPlaces lists path:line of each unfinished place, and counts the
// files that were read.
func unfinishedPlaces(tree fs.FS) (places []string, files int, err error) {
	err = fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".git") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains(written, filepath.Ext(path)):
			return nil
		}
		text, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		files++
		line := 0
		for text := range bytes.Lines(text) {
			line++
			if unfinished.Match(text) {
				places = append(places, fmt.Sprintf("%s:%d: %s", path, line, bytes.TrimSpace(text)))
			}
		}
		return nil
	})
	return places, files, err
}

func TestUnfinishedPlaces(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"a.go":           {Data: []byte("package a\n\n// TO" + "DO: later\nfunc f() { panic(\"not " + "implemented\") }\n")},
		"b/c.lua":        {Data: []byte("-- FIX" + "ME\n")},
		"b/fine.md":      {Data: []byte("What we have to do, and a Todo list.\n")},
		"b/picture.png":  {Data: []byte("TO" + "DO")},
		".git/config.md": {Data: []byte("TO" + "DO")},
	}
	got, files, err := unfinishedPlaces(tree)
	if err != nil {
		t.Fatal(err)
	}
	for i, place := range got {
		got[i] = place[:strings.LastIndex(place, ": ")]
	}
	if want := []string{"a.go:3: // TO" + "DO", "a.go:4", "b/c.lua:1"}; !slices.Equal(got, want) || files != 3 {
		t.Errorf("unfinished places = %q in %d files, want %q in 3", got, files, want)
	}
}
