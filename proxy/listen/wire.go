package listen

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// What a successor and its predecessor say to each other, over a socket of the
// folder that both work in, one word a line.
const (
	wordSockets = "sockets/1" // give me what you have open
	wordGo      = "go"        // I am ready; will you leave?
	wordYes     = "yes"       // I will, once you serve
	wordServing = "serving"   // leave
	wordLeaving = "leaving"   // I do
	wordFreed   = "freed"     // what we both would work at is yours
)

// meeting is the name of the socket in the folder.
const meeting = "successor.sock"

const (
	mostWord   = 16 << 10 // bytes of a line
	mostRights = 16       // sockets
)

// estate is the answer to wordSockets; the sockets themselves come with it, in its
// order (SCM_RIGHTS).
type estate struct {
	PID     int
	Sockets []struct{ Key, At string }
}

func say(c *net.UnixConn, word string) error {
	_, err := c.Write([]byte(strings.ReplaceAll(word, "\n", " ") + "\n"))
	return err
}

// hear reads one line and nothing of the next, with which sockets may come.
func hear(c *net.UnixConn) (string, error) {
	var word []byte
	for b := make([]byte, 1); len(word) < mostWord; word = append(word, b[0]) {
		if _, err := c.Read(b); err != nil {
			return "", err
		}
		if b[0] == '\n' {
			return string(word), nil
		}
	}
	return "", errors.New("a line that is too long")
}

// give sends sockets with what they are.
func give(c *net.UnixConn, all Sockets) error {
	e := estate{PID: os.Getpid()}
	for _, s := range all {
		e.Sockets = append(e.Sockets, struct{ Key, At string }{s.Key, s.At})
	}
	words, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return withFiles(all, nil, func(files []int) error {
		_, _, err := c.WriteMsgUnix(words, syscall.UnixRights(files...), nil)
		return err
	})
}

// withFiles calls do while none of the sockets can be closed under it.
func withFiles(all Sockets, files []int, do func([]int) error) error {
	if len(files) == len(all) {
		return do(files)
	}
	raw, err := all[len(files)].SyscallConn()
	if err != nil {
		return err
	}
	if wrong := raw.Control(func(fd uintptr) { err = withFiles(all, append(files, int(fd)), do) }); wrong != nil {
		return wrong
	}
	return err
}

// receive takes what give sent. All sockets are the caller's to close, also after
// an error.
func receive(c *net.UnixConn) (e estate, all Sockets, err error) {
	words, rights := make([]byte, mostWord), make([]byte, syscall.CmsgSpace(4*mostRights))
	n, rn, _, _, err := c.ReadMsgUnix(words, rights)
	if err != nil {
		return e, nil, err
	}
	files, err := filesIn(rights[:rn])
	defer func() {
		for _, f := range files {
			_ = f.Close() // what is used was doubled
		}
	}()
	if err != nil {
		return e, nil, err
	}
	if err := json.Unmarshal(words[:n], &e); err != nil {
		return e, nil, fmt.Errorf("understand the answer: %w", err)
	}
	if len(files) != len(e.Sockets) {
		return e, nil, fmt.Errorf("%d sockets came, %d were named", len(files), len(e.Sockets))
	}
	for i, f := range files {
		l, err := net.FileListener(f)
		if err != nil {
			return e, all, err
		}
		tcp, ok := l.(*net.TCPListener)
		if !ok {
			return e, all, errors.Join(errors.New("a socket came that is not of TCP"), l.Close())
		}
		all = append(all, Socket{tcp, e.Sockets[i].Key, e.Sockets[i].At})
	}
	return e, all, nil
}

func filesIn(rights []byte) (files []*os.File, err error) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), meeting))
		}
	}
	return files, nil
}

// inFolder calls do with the name of a file in a folder by which a socket can be
// bound and reached: the system takes about a hundred bytes.
func inFolder(dir, name string, do func(path string) error) error {
	path := filepath.Join(dir, name)
	if len(path) < 100 {
		return do(path)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	raw, err := folder.SyscallConn()
	if err != nil {
		return err
	}
	if wrong := raw.Control(func(fd uintptr) { err = do(fmt.Sprintf("/proc/self/fd/%d/%s", fd, name)) }); wrong != nil {
		return wrong
	}
	return err
}
