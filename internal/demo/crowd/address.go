package crowd

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/semaphore"
)

// source is a loopback address for shopper i, from 127.1.0.1 on, so that the
// edge's limits per address stay in force and no address runs out of ports.
// They come round again after fifteen million shoppers.
func source(i int) net.IP {
	const perThird, perSecond = 250, 250 * 250
	return net.IPv4(127, byte(1+i/perSecond%250), byte(i/perThird%250), byte(1+i%perThird))
}

// ownAddresses reports whether shoppers can have addresses of their own: the
// edge is on loopback and the system lets any 127.x.y.z be bound. Linux does,
// macOS does not; there all come from 127.0.0.1.
func ownAddresses(edge string) bool {
	if !loopback(edge) {
		return false
	}
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: source(0)})
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.To4() != nil && ip.IsLoopback()
}

// mostConnections is how many connections a process may hold, with some files to
// spare for the rest of it. An edge on the same machine has the same limit and
// holds the other ends, so more would only make it refuse them.
func mostConnections() int {
	const spare, fewest = 1000, 500
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return fewest
	}
	return max(fewest, int(min(files.Cur, 1<<20))-spare)
}

// slots bounds the connections that are open at once, first come, first
// served, and how many of them are being opened.
type slots struct {
	free  *semaphore.Weighted
	dials *semaphore.Weighted
	most  int64
	taken atomic.Int64 // slots taken or waited for
}

// dialsPerCore bounds the handshakes at once with an edge on this machine. It
// works at its handshakes with the same cores, and more of them would only
// make every answer wait in the crowd's own queue, and blame the edge for it.
const dialsPerCore = 16

func newSlots(connections int, edge string) *slots {
	dials := connections
	if loopback(edge) {
		dials = min(dials, dialsPerCore*runtime.GOMAXPROCS(0))
	}
	return &slots{
		free:  semaphore.NewWeighted(int64(connections)),
		dials: semaphore.NewWeighted(int64(dials)),
		most:  int64(connections),
	}
}

func (s *slots) take(ctx context.Context) error {
	s.taken.Add(1)
	if err := s.free.Acquire(ctx, 1); err != nil {
		s.taken.Add(-1)
		return err
	}
	return nil
}

func (s *slots) give() {
	s.taken.Add(-1)
	s.free.Release(1)
}

// short reports whether connections are getting scarce. Whoever goes to sleep
// then gives theirs up, so that those who come do not wait for sleepers.
func (s *slots) short() bool { return s.taken.Load() > s.most*7/8 }
