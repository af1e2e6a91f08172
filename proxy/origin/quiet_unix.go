//go:build unix

package origin

import (
	"net"
	"syscall"
)

// quiet reports whether nothing has come in on a connection that is kept, neither
// its end nor anything else. Its client learns of that as well, but on a busy
// machine a moment later, and in that moment a POST would be lost.
func quiet(conn net.Conn) bool {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	still := false
	err = raw.Control(func(fd uintptr) {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		still = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR
	})
	return err == nil && still
}
