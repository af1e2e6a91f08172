package testserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// RedisServer is a Redis of one test. Its methods may be called from any
// goroutine while the test runs; a fault fails the test without ending it.
type RedisServer struct {
	URL  string // redis://127.0.0.1:PORT/0, with the password if there is one
	Addr string // 127.0.0.1:PORT

	t        Owner
	process  *process
	password string
	paused   atomic.Bool // it is no use to ask it anything
	bus      int         // port of a Cluster's nodes among themselves; 0: in no Cluster
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
	return startNode(t, redisKind, func(int) []string { return args })
}

// A nodeKind is what a redis-server is started as.
type nodeKind struct {
	folder string // prefix of its directory
	argv   []string
	ready  string // what its log says then
	base   []string
}

var (
	redisKind = nodeKind{folder: "redis-", ready: "Ready to accept connections", base: []string{
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--loglevel", "notice",
	}}
	sentinelKind = nodeKind{folder: "sentinel-", argv: []string{"--sentinel"}, ready: "+monitor master"}
)

// startNode starts one server on a free port. What it is told it reads from a
// file, in which it keeps what it is told later: a node that starts again is
// what it was made, a replica or a primary.
func startNode(t Owner, kind nodeKind, options func(port int) []string) *RedisServer {
	t.Helper()
	path, err := binary("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := newDir(kind.folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for try := 1; ; try++ {
		s, err := kind.start(t, path, dir, options)
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

func (k nodeKind) start(t Owner, path, dir string, options func(port int) []string) (*RedisServer, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "redis.conf")
	told := append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir}, k.base...)
	if err := os.WriteFile(file, config(append(told, options(port)...)), 0o600); err != nil {
		return nil, err
	}
	p := &process{path: path, dir: dir, args: append([]string{file}, k.argv...)}
	p.ready = func(int) bool {
		log, _ := os.ReadFile(p.log())
		return bytes.Contains(log, []byte(k.ready))
	}
	if err := p.start(); err != nil {
		return nil, err
	}
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	return &RedisServer{URL: "redis://" + addr + "/0", Addr: addr, t: t, process: p}, nil
}

// config is a file of what a command line says: an option is a word that begins
// with two dashes, its values are those up to the next.
func config(args []string) []byte {
	var b bytes.Buffer
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			fmt.Fprintf(&b, "\n%s", name)
		} else {
			fmt.Fprintf(&b, " %q", arg)
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Kill ends the server as a crash would and returns once it is gone.
func (s *RedisServer) Kill() {
	s.process.end(syscall.SIGKILL)
	s.paused.Store(false)
}

// Stop ends the server in good order and returns once it is gone.
func (s *RedisServer) Stop() {
	s.process.end(syscall.SIGTERM)
	s.paused.Store(false)
}

// CPU is the time that the server took of the machine's cores until it
// was stopped.
func (s *RedisServer) CPU() time.Duration { return s.process.cpu() }

// Start starts the server again after Kill or Stop, on the same port and with
// what it persisted, and returns once it is ready.
func (s *RedisServer) Start() { report(s.t, s.process.start()) }

// Pause freezes the server: connections stay open and nothing answers.
func (s *RedisServer) Pause() {
	s.paused.Store(true)
	report(s.t, s.process.signal(syscall.SIGSTOP))
}

// Resume ends a Pause.
func (s *RedisServer) Resume() {
	report(s.t, s.process.signal(syscall.SIGCONT))
	s.paused.Store(false)
}
