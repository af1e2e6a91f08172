package testserver

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// reaper removes what a test process leaves behind, also when that process
// panics or is killed. It is a shell in a session of its own that reads the
// pids of running servers from a pipe. The kernel closes the pipe when the test
// process is gone; the shell then ends the servers and deletes the root.
type reaper struct {
	root string   // parent of every server's directory
	pipe *os.File // write end, closed by the end of the process only
}

// reaperScript quits servers before it kills them, so that Postgres takes its
// shared memory along, and continues them first, because one may be paused.
const reaperScript = `
live=' '
while read -r what pid; do
	case $what in
	up) live="$live$pid " ;;
	down) live="${live%% $pid *} ${live#* $pid }" ;;
	esac
done
kill -QUIT $live
kill -CONT $live
for _ in 1 2 3 4 5 6 7 8 9 10; do
	kill -0 $live || break
	sleep 0.1
done
kill -KILL $live
rm -rf "$1"
`

// serverScript tells the reaper its pid before it becomes the server: there is
// no instant at which a server runs and the reaper does not know it.
const serverScript = `ulimit -c 0; echo "up $$" >&3; exec 3>&-; exec "$@"`

// theReaper is the process's only reaper, started by the first server.
var theReaper = sync.OnceValues(startReaper)

func startReaper() (*reaper, error) {
	root, err := os.MkdirTemp("", "waitroom-test-")
	if err != nil {
		return nil, fmt.Errorf("start reaper: %w", err)
	}
	// Postgres runs under another user when the tests run as root, and must be
	// able to reach its own directory below.
	if err := os.Chmod(root, 0o711); err != nil {
		return nil, fmt.Errorf("start reaper: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start reaper: %w", err)
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", reaperScript, "sh", root)
	cmd.Dir = "/"
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start reaper: %w", err)
	}
	return &reaper{root: root, pipe: w}, nil
}

// down tells the reaper that a server has ended, so that it does not kill
// whoever gets the same pid later.
func (r *reaper) down(pid int) {
	_, _ = fmt.Fprintln(r.pipe, "down", pid) // the reaper is gone only with the machine
}
