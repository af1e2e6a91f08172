package cachetests_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/waitroom/waitroom/internal/cachetests"
	_ "github.com/waitroom/waitroom/proxy" // what is tried: a result is kept only as long as it has not changed
)

// buildFlags are those of the tests themselves.
var buildFlags []string

// build makes the program as it stands here.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "waitroom")
	args := append([]string{"build", "-o", program}, buildFlags...)
	if out, err := exec.CommandContext(t.Context(), "go", append(args, "github.com/waitroom/waitroom/cmd/waitroom")...).CombinedOutput(); err != nil {
		t.Fatalf("build waitroom: %v\n%s", err, out)
	}
	return program
}

// TestWaitroom: the whole suite against the program as it is built here.
func TestWaitroom(t *testing.T) {
	t.Parallel()
	c := cachetests.Waitroom(t, build(t), cachetests.Origin(t))
	report, err := cachetests.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	missed := map[string]bool{}
	for _, b := range report.Missed(cachetests.Required) {
		missed[b.ID] = true
		switch {
		case b.Unsafe():
			t.Errorf("%s failed, so that %s: %s\n%s", b.ID, b.Harm(), b.Why, b.Name)
		case cachetests.Excused[b.ID] == "":
			t.Errorf("%s: %s: %s\n%s", b.ID, b.Outcome, b.Why, b.Name)
		}
	}
	for id := range cachetests.Excused {
		if !missed[id] {
			t.Errorf("%s passes, or is no required behaviour: it needs no excuse", id)
		}
	}
	record, err := cachetests.Load()
	if err != nil {
		t.Fatal(err)
	}
	if sum := c.Keep(report).Sum(cachetests.Required); sum.Passed < record.Best() {
		t.Errorf("%d of %d required behaviours passed, want the %d of the best other cache or more", sum.Passed, sum.Of, record.Best())
	}
}

// TestDocument: docs/cache.md tells what is on record, and nothing typed by hand.
func TestDocument(t *testing.T) {
	t.Parallel()
	record, err := cachetests.Load()
	if err != nil {
		t.Fatal(err)
	}
	document, err := record.Tell()
	if err != nil {
		t.Fatal(err)
	}
	if !document.Current() {
		t.Error("docs/cache.md does not tell what is on record: run make caches")
	}
}
