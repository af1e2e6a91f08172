package testserver

import (
	"fmt"
	"os/exec"
	"strings"
)

var buildFlags []string

// Build builds programs of ours as the tests are built, with the race detector or
// without. args are what `go build` is told besides: -o and the packages.
func Build(args ...string) error {
	build := exec.Command("go", append(append([]string{"build"}, buildFlags...), args...)...)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
