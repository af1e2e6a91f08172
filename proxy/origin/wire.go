package origin

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// errUnasked is what came in on a connection on which nothing was asked.
var errUnasked = errors.New("origin answers what nobody asked")

// wire is a connection to a server, above TLS. It knows whether anything was
// written or read, gives up on a server that takes nothing, and lets no byte through
// that came while it rests.
type wire struct {
	net.Conn
	stall   time.Duration // for the server to take a piece
	linger  bool          // a failed write waits for what can still be read
	written atomic.Int64  // bytes
	read    atomic.Int64  // bytes

	mu      sync.Mutex
	rests   bool          // nothing is asked
	waits   bool          // its client is in Read
	emptied chan struct{} // closed when it is; nil: nobody wants to know

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
	w.enter()
	n, err := w.Conn.Read(b)
	w.read.Add(int64(n))
	if w.leave() && n > 0 {
		n, err = 0, errUnasked
	}
	if err != nil {
		w.end()
	}
	return n, err
}

func (w *wire) enter() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits = true; w.emptied != nil {
		close(w.emptied)
		w.emptied = nil
	}
}

func (w *wire) leave() (rests bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = false
	return w.rests
}

// wake is for a request that is about to be written.
func (w *wire) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rests = false
}

// rest is for the end of an answer. It reports whether nothing stood behind it: the
// client of HTTP/1.1 looks for the next answer at once, and if there is a byte left
// of what it had read, it does so without a Read, and gives the connection up.
func (w *wire) rest() bool {
	w.mu.Lock()
	w.rests = true
	if w.waits {
		w.mu.Unlock()
		return true
	}
	emptied := make(chan struct{})
	w.emptied = emptied
	w.mu.Unlock()
	select {
	case <-emptied:
		return true
	case <-w.over:
		return false
	}
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
