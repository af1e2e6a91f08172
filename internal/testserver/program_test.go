package testserver_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	const script = `trap 'echo bye; exit 7' TERM; echo hello; while :; do sleep 0.02; done`
	var p *testserver.Program
	p = testserver.NewProgram(t, func() bool { return strings.Contains(p.Log(), "hello") }, "/bin/sh", "-c", script)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err == nil {
		t.Error("a running program was started again")
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(10 * time.Second); code != 7 || err != nil {
		t.Errorf("wait = %d, %v, want 7", code, err)
	}
	if got := p.Log(); got != "hello\nbye\n" {
		t.Errorf("log = %q, want hello and bye", got)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(10 * time.Millisecond); err == nil {
		t.Error("wait for a running program: no error")
	}
	p.Kill()
	if err := p.Signal(syscall.SIGTERM); err == nil {
		t.Error("signal to a killed program: no error")
	}
}

func TestProgram_EndsBeforeItIsReady(t *testing.T) {
	t.Parallel()
	p := testserver.NewProgram(t, func() bool { return false }, "/bin/sh", "-c", "echo no such key; exit 2")
	if err := p.Start(); err == nil || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("start = %v, want what the program printed", err)
	}
}
