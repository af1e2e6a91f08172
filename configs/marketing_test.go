package configs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestMarketingGuide: the file in marketing's guide is one, and so is it with the lines
// for a sale that repeats; the guide stays as short as it says.
func TestMarketingGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/marketing.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(guide))); words > 1200 {
		t.Errorf("%d words, want two printed pages: 1200 at most", words)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) != 2 {
		t.Fatalf("got %d files, want two", len(blocks))
	}
	dated := blocks[0][1]
	repeating := regexp.MustCompile(`(?m)^(doors|opens|closes): .*\n`).ReplaceAllString(dated, "") + blocks[1][1]
	for name, text := range map[string]string{"dated": dated, "repeating": repeating} {
		file := filepath.Join(t.TempDir(), "sale.yaml")
		write(t, file, text)
		if s, _, err := configs.LoadSaleFile(file, now); err != nil || s.Stock != 100 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
