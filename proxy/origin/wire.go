package origin

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// wire is a connection to a server, above TLS. It knows whether anything was
// written or read, and gives up on a server that takes nothing.
type wire struct {
	net.Conn
	stall   time.Duration // for the server to take a piece
	linger  bool          // a failed write waits for what can still be read
	written atomic.Int64  // bytes
	read    atomic.Int64  // bytes

	once sync.Once
	over chan struct{} // closed when nothing more will be read
}

func newWire(conn net.Conn, stall time.Duration, linger bool) *wire {
	return &wire{Conn: conn, stall: stall, linger: linger, over: make(chan struct{})}
}

// Write takes its time as long as the server takes something. A server that
// answers before it has read a body may close the connection behind the answer:
// then the answer counts and not that more could not be written, so the failure is
// told only when all was read.
func (w *wire) Write(b []byte) (int, error) {
	_ = w.SetWriteDeadline(time.Now().Add(w.stall)) // fails on closed ones alone, as Write will
	n, err := w.Conn.Write(b)
	w.written.Add(int64(n))
	if w.linger && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)) {
		timer := time.NewTimer(w.stall)
		defer timer.Stop()
		select {
		case <-w.over:
		case <-timer.C:
		}
	}
	return n, err
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.read.Add(int64(n))
	if err != nil {
		w.end()
	}
	return n, err
}

func (w *wire) Close() error {
	w.end()
	return w.Conn.Close()
}

// CloseWrite ends what is written, of an upgraded connection.
func (w *wire) CloseWrite() error {
	if half, ok := w.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return w.Close()
}

func (w *wire) end() { w.once.Do(func() { close(w.over) }) }
