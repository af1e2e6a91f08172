package testserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// RedisServer is a Redis of one test. Its methods may be called from any
// goroutine while the test runs; a fault fails the test without ending it.
type RedisServer struct {
	URL  string // redis://127.0.0.1:PORT/0
	Addr string // 127.0.0.1:PORT

	t       Owner
	process *process
}

// Redis returns the URL of a fresh, empty Redis that ends with the test.
func Redis(t Owner) string {
	t.Helper()
	return StartRedis(t).URL
}

// StartRedis starts a fresh, empty Redis that ends with the test. It persists
// nothing, unless args, options in the form of redis-server's command line,
// say so: StartRedis(t, "--appendonly", "yes").
func StartRedis(t Owner, args ...string) *RedisServer {
	t.Helper()
	path, err := binary("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := newDir("redis-", nil)
	if err != nil {
		t.Fatal(err)
	}
	for try := 1; ; try++ {
		s, err := startRedis(t, path, dir, args)
		if err == nil {
			t.Cleanup(func() {
				s.Kill()
				report(t, os.RemoveAll(dir))
			})
			return s
		}
		if !errors.Is(err, errEnded) || try == starts {
			t.Fatal(err)
		}
	}
}

func startRedis(t Owner, path, dir string, args []string) (*RedisServer, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &process{path: path, dir: dir}
	p.args = append([]string{
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--loglevel", "notice",
	}, args...)
	p.ready = func(int) bool {
		log, _ := os.ReadFile(p.log())
		return bytes.Contains(log, []byte("Ready to accept connections"))
	}
	if err := p.start(); err != nil {
		return nil, err
	}
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	return &RedisServer{URL: "redis://" + addr + "/0", Addr: addr, t: t, process: p}, nil
}

// Kill ends the server as a crash would and returns once it is gone.
func (s *RedisServer) Kill() { s.process.end(syscall.SIGKILL) }

// Stop ends the server in good order and returns once it is gone.
func (s *RedisServer) Stop() { s.process.end(syscall.SIGTERM) }

// CPU is the time that the server took of the machine's cores until it
// was stopped.
func (s *RedisServer) CPU() time.Duration { return s.process.cpu() }

// Start starts the server again after Kill or Stop, on the same port and with
// what it persisted, and returns once it is ready.
func (s *RedisServer) Start() { report(s.t, s.process.start()) }

// Pause freezes the server: connections stay open and nothing answers.
func (s *RedisServer) Pause() { report(s.t, s.process.signal(syscall.SIGSTOP)) }

// Resume ends a Pause.
func (s *RedisServer) Resume() { report(s.t, s.process.signal(syscall.SIGCONT)) }
