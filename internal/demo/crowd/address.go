package crowd

import (
	"context"
	"net"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// source is a loopback address for shopper i, from 127.1.0.1 on, so that the
// edge's limits per address stay in force and no address runs out of ports.
// More than 60,000 a block, 200 blocks: twelve million shoppers.
func source(i int) net.IP {
	const perThird, perSecond = 250, 250 * 250
	return net.IPv4(127, byte(1+i/perSecond%250), byte(i/perThird%250), byte(1+i%perThird))
}

// ownAddresses reports whether shoppers can have addresses of their own: the
// edge is on loopback and the system lets any 127.x.y.z be bound. Linux does,
// macOS does not; there all come from 127.0.0.1.
func ownAddresses(edge string) bool {
	if ip := net.ParseIP(edge); ip == nil || ip.To4() == nil || !ip.IsLoopback() {
		return false
	}
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: source(0)})
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// slots bounds the connections that are open at once, first come, first served.
type slots struct {
	free    *semaphore.Weighted
	waiting atomic.Int64
}

func (s *slots) take(ctx context.Context) error {
	if s.free.TryAcquire(1) {
		return nil
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	return s.free.Acquire(ctx, 1)
}

func (s *slots) give() { s.free.Release(1) }

// short reports whether somebody waits for a connection. Whoever goes to sleep
// then gives theirs up.
func (s *slots) short() bool { return s.waiting.Load() > 0 }
