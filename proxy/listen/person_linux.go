package listen

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// samePerson is an error if the program at the other end is another user's.
func samePerson(c *net.UnixConn) error {
	who, err := credentials(c)
	if err != nil {
		return err
	}
	if who.Uid != uint32(os.Geteuid()) {
		return fmt.Errorf("the program at the other end is user %d's", who.Uid)
	}
	return nil
}

// personAt is the process at the other end; 0 if that cannot be known.
func personAt(c *net.UnixConn) int {
	who, err := credentials(c)
	if err != nil {
		return 0
	}
	return int(who.Pid)
}

func credentials(c *net.UnixConn) (who *syscall.Ucred, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	if wrong := raw.Control(func(fd uintptr) {
		who, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); wrong != nil {
		return nil, wrong
	}
	return who, err
}
