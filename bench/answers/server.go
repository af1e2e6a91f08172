package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// server is one that is measured, a process that listens at an address.
type server struct {
	name, at, pid string  // pid: a file
	rest          float64 // share of a core that it takes when nobody asks, which is taken off
	*testserver.Program
}

// program is one that stays on the servers' core, has as many threads for Go as that, and
// writes down who it is.
func (st *stage) program(name, at string, ready func() bool, path string, args ...string) *server {
	s := &server{name: name, at: at, pid: filepath.Join(st.dir, name+"-"+at+".pid")}
	command := []string{"-c", `echo $$ >"$0"; exec "$@"`, s.pid}
	if st.pinned {
		command = append(command, "taskset", "-c", strconv.Itoa(serversCore))
	}
	command = append(append(command, "env", "GOMAXPROCS=1", path), args...)
	s.Program = testserver.NewProgram(st.owner, ready, "/bin/sh", command...)
	return s
}

// process is the running server's id.
func (s *server) process() (pid int, err error) {
	text, err := os.ReadFile(s.pid)
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		err = fmt.Errorf("read who %s is: %w", s.name, err)
	}
	return pid, err
}

// cpu is what the server has used since its start.
func (s *server) cpu() (time.Duration, error) {
	pid, err := s.process()
	if err != nil {
		return 0, err
	}
	return processCPU(pid)
}

// relax looks at what a server does when nobody asks.
func (s *server) relax(ctx context.Context, span time.Duration) error {
	before, err := s.cpu()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := pause(ctx, span); err != nil {
		return err
	}
	after, err := s.cpu()
	s.rest = float64(after-before) / float64(time.Since(begun))
	return err
}
