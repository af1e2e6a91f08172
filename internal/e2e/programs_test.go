package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

var binaries string // folder of the built programs

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	err := flag.Set("test.parallel", "3") // whole sales wait more than they work
	if err != nil {
		panic(err)
	}
	if binaries, err = os.MkdirTemp("", "waitroom-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(binaries) }()
	if err := testserver.Build("-o", binaries+"/", module+"/cmd/waitroom", module+"/cmd/orderworker"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer closeChrome()
	return m.Run()
}

func program(name string) string { return filepath.Join(binaries, name) }

// output is what a program that ran to its end had to say.
type output struct {
	code        int
	out, errors string
}

// run runs a program to its end.
func run(t *testing.T, name string, args ...string) output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(name), args...)
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) || ctx.Err() != nil {
		t.Fatalf("run %s %v: %v\n%s", name, args, errors.Join(err, ctx.Err()), &errs)
	}
	return output{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}
