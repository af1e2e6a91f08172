package survey

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var redisCall = regexp.MustCompile(`redis\.p?call\('([A-Z]+)'`)

// TestProbe_TriesWhatTheScriptsUse: a command that a script learns to use is one
// that a user may be denied.
func TestProbe_TriesWhatTheScriptsUse(t *testing.T) {
	t.Parallel()
	var files []string
	for _, dir := range []string{"gate", "queueing"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", dir, "lua", "*.lua"))
		if err != nil || len(found) == 0 {
			t.Fatalf("scripts of %s: %v, %v", dir, found, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range redisCall.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(probeLua, "try('"+m[1]+"'") {
				t.Errorf("%s: %s is not tried", file, m[1])
			}
		}
	}
}
