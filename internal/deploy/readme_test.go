package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

var fenced = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// The two files that the README shows are what a new user starts from.
func TestReadme_FilesAreValid(t *testing.T) {
	t.Parallel()
	var files []string
	for _, block := range fenced.FindAllStringSubmatch(string(read(t, "README.md")), -1) {
		if block[1] == "yaml" {
			files = append(files, block[2])
		}
	}
	if len(files) != 2 {
		t.Fatalf("the README shows %d files, want the operator's and marketing's", len(files))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"waitroom.yaml": files[0], "sales/golden-toy.yaml": files[1]} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := func(string) (string, bool) { return strings.Repeat("0f", 32), true }
	before := time.Date(2027, time.November, 1, 12, 0, 0, 0, time.UTC)
	c, err := configs.Load(filepath.Join(dir, "waitroom.yaml"), env, before)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Sales) != 1 || !c.Embedded() {
		t.Errorf("%d sales, embedded %v; want one sale, embedded", len(c.Sales), c.Embedded())
	}
}

// What the README tells to run exists.
func TestReadme_CommandsExist(t *testing.T) {
	t.Parallel()
	makefile := string(read(t, "Makefile"))
	for _, block := range fenced.FindAllStringSubmatch(string(read(t, "README.md")), -1) {
		if block[1] != "sh" {
			continue
		}
		for line := range strings.Lines(block[2]) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "make" {
				continue
			}
			if target := words[1]; !strings.Contains(makefile, "\n"+target+":") {
				t.Errorf("%q: the Makefile has no such target", strings.TrimSpace(line))
			}
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(string(read(t, "README.md")), -1) {
		if _, err := os.Stat(filepath.Join(root, link[1])); err != nil {
			t.Errorf("link: %v", err)
		}
	}
}
