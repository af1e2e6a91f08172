package listen

import (
	"encoding/binary"
	"syscall"
)

const established = 1 // TCP_ESTABLISHED, the first byte of tcp_info (tcp(7))

// hasLeft reports whether the client has closed, or reset, though something that it
// sent may be unread.
func (c *conn) hasLeft() bool {
	state, err := established, error(nil)
	c.control(func(fd int) {
		var info int
		if info, err = syscall.GetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_INFO); err == nil {
			var first [4]byte
			binary.NativeEndian.PutUint32(first[:], uint32(info)) //nolint:gosec // its bytes are what counts
			state = int(first[0])
		}
	})
	return err == nil && state != established
}
