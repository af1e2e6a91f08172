package testserver_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// endVariable makes TestReaper_Victim end the test process in the way it names.
const endVariable = "TESTSERVER_END"

func TestReaper_LeavesNothing(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"kill", "panic", "exit"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			// Postgres runs under another user, who must reach its directory.
			for dir := tmp; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			addrs := runVictim(t, end, tmp)
			for _, addr := range addrs {
				eventually(t, "server at "+addr+" is gone", func() bool { return !answers(addr) })
			}
			eventually(t, "directory is empty", func() bool {
				left, err := os.ReadDir(tmp)
				return err == nil && len(left) == 0
			})
		})
	}
}

// runVictim runs TestReaper_Victim in another process until it has ended and
// returns the addresses of the servers that it started.
func runVictim(t *testing.T, end, tmp string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestReaper_Victim$", "-test.count=1")
	cmd.Env = append(os.Environ(), endVariable+"="+end, "TMPDIR="+tmp)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("victim ended well:\n%s", out)
	}
	var addrs []string
	for line := range strings.Lines(string(out)) {
		if addr, ok := strings.CutPrefix(strings.TrimSpace(line), "serves "); ok {
			addrs = append(addrs, addr)
		}
	}
	if len(addrs) != 4 {
		t.Fatalf("victim started %d servers, want 4:\n%s", len(addrs), out)
	}
	return addrs
}

// TestReaper_Victim starts one server of each kind and ends its process before
// any cleanup; on its own it is a test of nothing.
func TestReaper_Victim(t *testing.T) {
	end := os.Getenv(endVariable)
	if end == "" {
		return
	}
	paused := testserver.StartRedis(t)
	paused.Pause()
	for _, server := range []string{
		testserver.Redis(t), paused.URL, testserver.Postgres(t), testserver.StartPostgres(t).URL,
	} {
		u, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		if !answers(u.Host) {
			t.Fatalf("no answer from %s", server)
		}
		fmt.Println("serves", u.Host)
	}
	switch end {
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "panic":
		go panic("end of the victim")
	case "exit":
		os.Exit(1)
	}
	select {}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !is() {
		select {
		case <-late.C:
			t.Fatalf("not so after 30 s: %s", what)
		case <-look.C:
		}
	}
}
