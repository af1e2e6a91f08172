package origin

import (
	"io"
	"sync"
)

// keptBody is how much of a body is kept until it is known whether it must be sent
// again: as much as the client of an HTTP/1.1 connection reads before it writes.
const keptBody = 32 << 10

// replay is the body of a request that may have to be sent again.
type replay struct {
	body io.ReadCloser

	mu      sync.Mutex
	kept    []byte // what was read first
	next    int    // of kept, what is read next
	lost    bool   // more was read than is kept
	closed  bool   // by who sends it
	settled bool   // it is not sent again
	broken  bool   // it could not be read on
}

func (b *replay) Read(p []byte) (int, error) {
	b.mu.Lock()
	if b.next < len(b.kept) {
		n := copy(p, b.kept[b.next:])
		b.next += n
		b.mu.Unlock()
		return n, nil
	}
	b.mu.Unlock() // the shopper may take long

	n, err := b.body.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = b.broken || err != nil && err != io.EOF
	switch {
	case b.lost || b.settled || n == 0:
	case len(b.kept)+n > keptBody:
		b.lost, b.kept, b.next = true, nil, 0
	default:
		b.kept = append(b.kept, p[:n]...)
		b.next += n
	}
	return n, err
}

// Close closes the request's own body only when it is settled.
func (b *replay) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed = true; !b.settled {
		return nil
	}
	return b.body.Close()
}

// rewind makes the body start again, if all that was read of it is kept.
func (b *replay) rewind() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next, b.closed = 0, false
	return !b.lost
}

// isBroken reports whether the body itself could not be read on, which is no server's
// doing. A nil one is whole.
func (b *replay) isBroken() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.broken
}

// settle ends the keeping. failed closes the request's own body, which an attempt
// that was never made has not.
func (b *replay) settle(failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settled = true
	if b.next == len(b.kept) {
		b.kept, b.next = nil, 0
	}
	if b.closed || failed {
		_ = b.body.Close()
	}
}
