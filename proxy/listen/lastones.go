package listen

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// lastOnes takes who still waits in the socket's queue, and comes back at once when
// it is empty. A deadline would not do: when it is over, Accept does not look.
func (g *Greeter) lastOnes(ctx context.Context) {
	raw, err := g.socket.SyscallConn()
	if err != nil {
		return // it is closed
	}
	var last []*os.File
	_ = raw.Control(func(fd uintptr) {
		for {
			n, _, err := syscall.Accept(int(fd))
			switch {
			case err == nil:
				syscall.CloseOnExec(n)
				_ = syscall.SetNonblock(n, true)
				last = append(last, os.NewFile(uintptr(n), "connection"))
			case !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.ECONNABORTED):
				return
			}
		}
	})
	for _, f := range last {
		c, err := net.FileConn(f)
		_ = f.Close() // it was doubled
		if err == nil {
			g.receive(ctx, c)
		}
	}
}
