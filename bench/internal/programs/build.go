// Package programs makes what benchmarks measure.
package programs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

const module = "github.com/waitroom/waitroom/"

// Build puts programs of ours into a folder, static as they are released. They are named
// by their place, such as cmd/waitroom.
func Build(ctx context.Context, dir string, places ...string) error {
	args := []string{"build", "-trimpath", "-o", dir + "/"}
	for _, place := range places {
		args = append(args, module+place)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build programs: %w\n%s", err, said)
	}
	return nil
}
