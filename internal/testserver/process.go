package testserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// errEnded says that a server ended before it was ready, most often because
// another process took its port first.
var errEnded = errors.New("ended before it was ready")

// process is one server that can be started, signalled and started again with
// the same arguments in the same directory. Safe for concurrent use.
type process struct {
	path  string
	args  []string
	dir   string              // working directory; holds log
	cred  *syscall.Credential // nil: the user of the tests
	ready func(pid int) bool  // reads the log or a file of the server's

	used atomic.Int64 // nanoseconds of CPU, of all that have ended

	mu   sync.Mutex
	cmd  *exec.Cmd     // nil: not running
	done chan struct{} // closed once cmd has been waited for
}

// log is the file that takes the output of the running or the last server.
func (p *process) log() string { return filepath.Join(p.dir, "log") }

// cpu is the time that ended processes took of the machine's cores, with that
// of the children that they have waited for.
func (p *process) cpu() time.Duration { return time.Duration(p.used.Load()) }

// start returns once the server is ready. Starting a running one is an error.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return fmt.Errorf("start %s: it is running", p.path)
	}
	if err := p.spawn(); err != nil {
		return fmt.Errorf("start %s: %w", p.path, err)
	}
	if err := p.await(); err != nil {
		out, _ := os.ReadFile(p.log())
		p.endLocked(syscall.SIGKILL)
		return fmt.Errorf("start %s: %w\n%s", p.path, err, tail(out))
	}
	return nil
}

// spawn starts the program and the goroutine that waits for its end.
func (p *process) spawn() error {
	r, err := theReaper()
	if err != nil {
		return err
	}
	out, err := os.Create(p.log())
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", serverScript, "sh", p.path}, p.args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, out, out
	cmd.ExtraFiles = []*os.File{r.pipe}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.cred}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // how it ended is in its log
		p.used.Add(int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()))
		r.down(cmd.Process.Pid)
	}()
	p.cmd, p.done = cmd, done
	return nil
}

// await blocks until the server is ready, has ended, or took too long.
func (p *process) await() error {
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-p.done:
			return errEnded
		case <-late.C:
			return fmt.Errorf("not ready after %v", startTimeout)
		case <-look.C:
			if p.ready(p.cmd.Process.Pid) {
				return nil
			}
		}
	}
}

// signal sends sig to the running server and does not wait for its effect.
func (p *process) signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("signal %s: it is not running", p.path)
	}
	return p.cmd.Process.Signal(sig)
}

// end sends sig and returns once the server is gone, killed when it is late.
// Ending one that does not run changes nothing.
func (p *process) end(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked(sig)
}

func (p *process) endLocked(sig syscall.Signal) {
	if p.cmd == nil {
		return
	}
	// An error means that it has ended already, which is what is wanted.
	_ = p.cmd.Process.Signal(sig)
	_ = p.cmd.Process.Signal(syscall.SIGCONT) // it may be paused
	late := time.NewTimer(stopTimeout)
	defer late.Stop()
	select {
	case <-p.done:
	case <-late.C:
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	p.cmd = nil
}

// tail returns the last lines of a log.
func tail(log []byte) []byte {
	const lines = 20
	parts := bytes.SplitAfter(log, []byte("\n"))
	return bytes.Join(parts[max(0, len(parts)-lines):], nil)
}
