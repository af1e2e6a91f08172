package cachetests

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/waitroom/waitroom/internal/testserver"
)

// Cache is a running cache before the suite's origin.
type Cache struct {
	Name    string
	Version string
	base    string // URL without a path
	ca      string // file of who vouches for it; empty: no TLS
}

// Run runs the whole suite against a cache, and once more what was in doubt. It
// takes about twenty seconds, of which it mostly waits.
func Run(ctx context.Context, c Cache) (Report, error) {
	found, err := try(ctx, c)
	if err != nil {
		return Report{}, err
	}
	if ids := found.doubtful(); len(ids) > 0 {
		again, err := try(ctx, c, ids...)
		if err != nil {
			return Report{}, err
		}
		maps.Copy(found.Results, again.Results)
	}
	return found.judge(), nil
}

func try(ctx context.Context, c Cache, ids ...string) (answers, error) {
	script, err := scriptPath("client.mjs")
	if err != nil {
		return answers{}, err
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{script, c.base}, ids...)...)
	if c.ca != "" {
		cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+c.ca)
	}
	var faults bytes.Buffer
	cmd.Stderr = &faults
	printed, err := cmd.Output()
	if err != nil {
		return answers{}, fmt.Errorf("run suite against %s: %w\n%s", c.Name, err, &faults)
	}
	return readAnswers(printed)
}

// scriptPath is where a script of testdata is, once the suite is installed beside
// it.
func scriptPath(name string) (string, error) {
	dir, err := testdata()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "http-cache-tests")); err != nil {
		return "", fmt.Errorf("find http-cache-tests: %w: run make deps", err)
	}
	return filepath.Join(dir, name), nil
}

// testdata is this package's folder of that name, wherever the program runs.
func testdata() (string, error) {
	_, here, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(here) {
		return "", fmt.Errorf("find testdata: built with -trimpath")
	}
	return filepath.Join(filepath.Dir(here), "testdata"), nil
}

// Origin starts the suite's own origin, which ends with its owner, and returns its
// address.
func Origin(t testserver.Owner) string {
	t.Helper()
	script, err := scriptPath("origin.mjs")
	if err != nil {
		t.Fatal(err)
	}
	address := testserver.FreeAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	start(t, testserver.Listens(address), "/usr/bin/env", "node", script, port)
	return address
}
