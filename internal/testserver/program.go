package testserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Program is a program of ours as a process of its own, which a test may kill,
// signal and start again. Its methods may be called from any goroutine.
type Program struct {
	process *process
}

// NewProgram names a program with its arguments; it is not started yet. It runs
// in a directory of its own, is ready once ready says so, and ends with the
// test at the latest.
func NewProgram(t Owner, ready func() bool, path string, args ...string) *Program {
	t.Helper()
	dir, err := newDir("program-", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{&process{path: path, args: args, dir: dir, ready: func(int) bool { return ready() }}}
	t.Cleanup(func() {
		p.Kill()
		report(t, os.RemoveAll(dir))
	})
	return p
}

// Start starts the program and returns once it is ready. A program that ends
// before is an error, with what it printed.
func (p *Program) Start() error { return p.process.start() }

// Kill ends the program as a crash would and returns once it is gone.
func (p *Program) Kill() { p.process.end(syscall.SIGKILL) }

// Signal sends a signal and does not wait for its effect.
func (p *Program) Signal(sig syscall.Signal) error { return p.process.signal(sig) }

// Wait returns the exit code once the program has ended by itself, and an error
// if it is still running after limit.
func (p *Program) Wait(limit time.Duration) (int, error) { return p.process.wait(limit) }

// CPU is the time that the program took of the machine's cores until it ended.
func (p *Program) CPU() time.Duration { return p.process.cpu() }

// Memory is what the running program has in the machine's memory, in bytes.
func (p *Program) Memory() (int64, error) { return p.process.memory() }

// Starved is how long the threads of the running program have waited for a core,
// all together: more of it is the machine's fault.
func (p *Program) Starved() (time.Duration, error) { return p.process.starved() }

// Log is what the running, or the last, process has printed.
func (p *Program) Log() string {
	out, _ := os.ReadFile(p.process.log()) // none before the first start
	return string(out)
}

// memory reads VmRSS, see proc_pid_status(5).
func (p *process) memory() (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0, errors.New("read memory: it is not running")
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	var kilobytes int64
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	return kilobytes << 10, nil
}

// starved sums the second number of each thread's schedstat, see sched-stats in the
// kernel's documentation. A thread that ends takes its share away.
func (p *process) starved() (sum time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0, errors.New("read waits for a core: it is not running")
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid)) // the pattern is right
	if len(threads) == 0 {
		return 0, errors.New("read waits for a core: the kernel tells none")
	}
	for _, thread := range threads {
		var ran, waited time.Duration
		if text, err := os.ReadFile(thread); err == nil { // it may have ended
			_, _ = fmt.Sscan(string(text), &ran, &waited)
		}
		sum += waited
	}
	return sum, nil
}

// wait returns how the process ended; -1 when a signal ended it.
func (p *process) wait(limit time.Duration) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0, errors.New("wait: it is not running")
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-p.done:
		code := p.cmd.ProcessState.ExitCode()
		p.cmd = nil
		return code, nil
	case <-late.C:
		return 0, fmt.Errorf("wait: still running after %v", limit)
	}
}

// FreeAddress is an address on loopback at which nothing listens now.
func FreeAddress(t Owner) string {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}
