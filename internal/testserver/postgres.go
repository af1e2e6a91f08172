package testserver

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// PostgresServer is a Postgres cluster of one test, which may take it down. Its
// methods may be called from any goroutine while the test runs; a fault fails
// the test without ending it.
type PostgresServer struct {
	URL string // postgres://… of an empty database

	t       Owner
	process *process
}

// sharedPostgres is the cluster in which Postgres makes databases. It has no
// last user to stop it, so it is left to the reaper.
var sharedPostgres = sync.OnceValues(func() (string, error) {
	_, url, err := newCluster()
	return url, err
})

var databases atomic.Int64

// Postgres returns the URL of a fresh, empty database that is dropped when the
// test ends. The cluster around it is shared by the tests of the process.
func Postgres(t Owner) string {
	t.Helper()
	url, err := sharedPostgres()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("test_%d", databases.Add(1))
	// template0 takes no connections, so nobody can be in the way of the copy.
	if err := execute(url, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { report(t, execute(url, "DROP DATABASE "+name+" WITH (FORCE)")) })
	database, err := inDatabase(url, name)
	if err != nil {
		t.Fatal(err)
	}
	return database
}

// StartPostgres starts a fresh cluster that ends with the test. It syncs nothing
// to the disk, unless settings, as in postgresql.conf, say so:
// StartPostgres(t, "fsync=on").
func StartPostgres(t Owner, settings ...string) *PostgresServer {
	t.Helper()
	p, url, err := newCluster(settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.end(syscall.SIGQUIT)
		report(t, os.RemoveAll(p.dir))
	})
	return &PostgresServer{URL: url, t: t, process: p}
}

// Kill ends the server as a crash would and returns once it is gone. What was
// committed is still there after Start.
func (s *PostgresServer) Kill() { s.process.end(syscall.SIGKILL) }

// Stop ends the server in good order, cutting open connections, and returns
// once it is gone.
func (s *PostgresServer) Stop() { s.process.end(syscall.SIGINT) }

// CPU is the time that the server took of the machine's cores until it was
// stopped; of one that was killed, what its children took may be missing.
func (s *PostgresServer) CPU() time.Duration { return s.process.cpu() }

// Start starts the server again after Kill or Stop, on the same port and with
// all that was committed, and returns once it is ready.
func (s *PostgresServer) Start() {
	// The children of a killed server leave a moment after it, and until then
	// their shared memory keeps a new server from starting.
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		err := s.process.start()
		if !errors.Is(err, errEnded) {
			report(s.t, err)
			return
		}
		select {
		case <-late.C:
			report(s.t, err)
			return
		case <-again.C:
		}
	}
}
