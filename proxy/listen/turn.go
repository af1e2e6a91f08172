package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// turnFile is locked by whoever takes over in a folder, until others can ask it: of
// two that start when their predecessor dies, both have its sockets.
const turnFile = "successor.lock"

const (
	turnWait  = 2 * time.Second // for who is about to be asked
	turnEvery = 20 * time.Millisecond
	probeWait = 200 * time.Millisecond // for a connection to end that nobody took any more
)

var errBusy = fmt.Errorf("%w: another one is taking over", ErrStays)

// takeTurn locks a folder's turn. Closing the file, and the end of the program, let
// go of it.
func takeTurn(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, turnFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("take turn: %w", err)
	}
	err = errBusy
	again(func() bool {
		err = lock(f, syscall.LOCK_EX)
		return !errors.Is(err, errBusy)
	})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// free fails with ErrStays while somebody takes over in a folder.
func free(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, turnFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look who takes over: %w", err)
	}
	defer func() { _ = f.Close() }()
	return lock(f, syscall.LOCK_SH) // as who else looks
}

func lock(f *os.File, how int) error {
	switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errBusy
	case err != nil:
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// again does something until it is done, for turnWait at most.
func again(do func() (done bool)) {
	late := time.NewTimer(turnWait)
	defer late.Stop()
	ticker := time.NewTicker(turnEvery)
	defer ticker.Stop()
	for !do() {
		select {
		case <-late.C:
			return
		case <-ticker.C:
		}
	}
}

// nobody fails with ErrStays if somebody can be asked in a folder whose predecessor
// is gone. A connection that is ended at once was to one that is just leaving.
func nobody(dir string) error {
	err := fmt.Errorf("%w: another one has taken over", ErrStays)
	again(func() bool {
		conn, wrong := dial(dir)
		if wrong != nil {
			if err = nil; !isNobody(wrong) {
				err = fmt.Errorf("look who serves: %w", wrong)
			}
			return true
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(probeWait))
		_, wrong = hear(conn)
		return isTimeout(wrong)
	})
	return err
}
