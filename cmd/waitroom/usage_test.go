package main

import (
	"slices"
	"strings"
	"testing"
)

// What is missing is called by what it is.
func TestUsage_Folder(t *testing.T) {
	t.Parallel()
	if _, _, errs := command("templates"); !strings.Contains(errs, "templates: name a folder to write into, as golden-toy") {
		t.Errorf("said %q, want that a folder is missing", errs)
	}
}

// Whatever is wrong with the command line is a fault of usage, at every command.
func TestUsage(t *testing.T) {
	t.Parallel()
	var lines [][]string
	for _, cmd := range newRoot().Commands() {
		lines = append(lines, []string{cmd.Name(), "--no-such-flag"})
		if cmd.Name() != "check" { // which takes any files, but at least one
			lines = append(lines, []string{cmd.Name(), "toy", "toys"})
		}
	}
	for _, line := range slices.Concat(lines, [][]string{{"check"}, {"toy"}, {"--no-such-flag"}, {"rehearse", "toy"}, {"run", "--linger", "long"}}) {
		if code, out, errs := command(line...); code != 2 || out != "" || errs == "" {
			t.Errorf("%q: exit %d, out %q, said %q; want 2 and a reason", line, code, out, errs)
		}
	}
}
