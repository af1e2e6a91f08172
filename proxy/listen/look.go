package listen

import (
	"errors"
	"syscall"
)

// look reads what is there already when a client's time is over: it may have come
// long ago, to a machine that was too busy to look.
func (c *conn) look(b []byte, late error) (n int, err error) {
	c.control(func(fd int) { n, err = syscall.Read(fd, b) })
	if err != nil || n <= 0 {
		return 0, late
	}
	return n, nil
}

// waits reports whether something has come that nobody has read yet.
func (c *conn) waits() bool {
	n, err := 0, error(nil)
	c.control(func(fd int) { n, _, err = syscall.Recvfrom(fd, make([]byte, 1), syscall.MSG_PEEK) })
	return err == nil && n > 0
}

// gone reports whether the client has closed, or reset, and everything it sent is read.
func (c *conn) gone() bool {
	n, err := -1, error(nil)
	c.control(func(fd int) { n, _, err = syscall.Recvfrom(fd, make([]byte, 1), syscall.MSG_PEEK) })
	return err == nil && n == 0 || errors.Is(err, syscall.ECONNRESET)
}

// control calls do with the socket, which does not block.
func (c *conn) control(do func(fd int)) {
	socket, ok := c.Conn.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := socket.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) }) // it is closed
	}
}
