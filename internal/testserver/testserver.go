// Package testserver starts the real Redis and Postgres that tests and the
// benchmark run against.
//
// It owns every server it starts: each has a directory of its own under one
// temporary root, listens on a free loopback port only, and ends with the test
// that asked for it, or with the test process at the latest, however that one
// ends. It never skips a test because a server is missing, and never uses or
// touches a server that was already running.
package testserver

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"time"
)

// Owner is with whom a server ends: a test, or a program that measures. A
// [testing.TB] is one. Fatal must not return.
type Owner interface {
	Helper()
	Cleanup(func())
	Error(args ...any)
	Fatal(args ...any)
}

// startTimeout bounds one start; it is generous because the race detector and
// parallel packages share few cores.
const startTimeout = 60 * time.Second

// stopTimeout bounds an orderly stop before the server is killed.
const stopTimeout = 20 * time.Second

// starts is how often a server is started on another port before giving up.
const starts = 10

// binary returns the full path of a server's program. Debian keeps those of
// Postgres off the PATH, one directory a version; the newest wins.
func binary(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob(filepath.Join("/usr/lib/postgresql/*/bin", name))
	if len(found) == 0 {
		return "", fmt.Errorf("find %s: not on PATH: run make deps", name)
	}
	return found[len(found)-1], nil
}

// Tool returns the path of a program that comes with the servers, such as
// pgbench.
func Tool(t Owner, name string) string {
	t.Helper()
	path, err := binary(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// freePort returns a loopback port on which nothing listens at this moment.
//
// It stays below the ports that systems give to outgoing connections: a server
// that is down for a while would otherwise lose its port to a client of some
// other test. The kernel still has the last word, first here and then when the
// server itself listens.
func freePort() (int, error) {
	const low, high, tries = 10000, 32000, 100
	var err error
	for range tries {
		port := low + rand.IntN(high-low)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("find port: %d tries: %w", tries, err)
}

// report fails the owner without ending it, which only its own goroutine may do.
func report(t Owner, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
