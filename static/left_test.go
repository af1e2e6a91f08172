package static_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

// TestLeft: the script is small, needs nothing that a strict policy forbids, and
// writes text only.
func TestLeft(t *testing.T) {
	t.Parallel()
	script, tag := static.Left()
	if n := len(script); n == 0 || n >= 1024 {
		t.Errorf("the script has %d bytes, want fewer than 1024", n)
	}
	if !regexp.MustCompile(`^"[0-9a-f]{24}"$`).MatchString(tag) {
		t.Errorf("the tag is %s, want a strong one", tag)
	}
	for _, no := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval", "Function(", "/*", "//", "cookie", "localStorage"} {
		if strings.Contains(string(script), no) {
			t.Errorf("the script has %q in it", no)
		}
	}
}
