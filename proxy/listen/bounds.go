package listen

import (
	"math"
	"syscall"
)

// mostConns is how many connections there may be at once at the most. More do not come
// from the address of one balancer, which has no more ports.
const mostConns = 1 << 16

const (
	otherFiles = 768      // that the program has open besides at the least: to Redis, to the origin, on disk
	perConn    = 64 << 10 // bytes that an idle connection takes, with what the system keeps for it
)

// bounds are how many connections there may be.
type bounds struct {
	all        int
	hands      int // of them in the handshake
	ofOne      int // of one address
	handsOfOne int // of them in the handshake

	requests      int // over HTTP/2, which are many on one connection
	requestsOfOne int
}

// boundsFor is as many as a program that may have so many files open, and take so many
// bytes of memory, can have: an eighth of the files is for others, and half of the
// memory. One address has an eighth of that, at least as many as a school needs. There
// are as many requests over HTTP/2 as connections.
func boundsFor(files, memory uint64) bounds {
	spare := max(files/8, min(files/2, otherFiles))
	all := int(min(mostConns, files-spare, max(memory/2/perConn, 64))) //nolint:gosec // below mostConns
	return boundsOf(all)
}

func boundsOf(all int) bounds {
	one := max(1, min(all/2, max(512, all/8)))
	return bounds{all: all, hands: all / 2, ofOne: one, handsOfOne: max(1, min(all/4, 512)), requests: all, requestsOfOne: one}
}

// filesAllowed is how many files this program may have open.
func filesAllowed() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxUint64
	}
	return limit.Cur
}
