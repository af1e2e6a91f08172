package survey

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	tableMade    = regexp.MustCompile(`(?i)CREATE TABLE (\w+)`)
	tableUpdated = regexp.MustCompile(`UPDATE (\w+)\s+SET`)
	tableEmptied = regexp.MustCompile(`DELETE FROM (\w+)`)
)

// named are the tables that the files of the ledger name in a statement.
func named(t *testing.T, form *regexp.Regexp, files ...string) []string {
	t.Helper()
	all := map[string]bool{}
	for _, pattern := range files {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", "ledger", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("files %s: %v, %v", pattern, found, err)
		}
		for _, file := range found {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range form.FindAllStringSubmatch(string(text), -1) {
				all[m[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// TestTables_AreThoseOfTheLedger: a table that the ledger learns to use, or to
// change, is one that a role may lack the right to.
func TestTables_AreThoseOfTheLedger(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		got  []string
		want []string
	}{
		{"tables", slices.Sorted(slices.Values(tables)), named(t, tableMade, "migrations/postgres/*.sql")},
		{"updated", slices.Sorted(maps.Keys(updated)), named(t, tableUpdated, "*.go")},
		{"emptied", slices.Sorted(maps.Keys(emptied)), named(t, tableEmptied, "*.go")},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: the survey knows %v, the ledger has %v", c.what, c.got, c.want)
		}
	}
}
