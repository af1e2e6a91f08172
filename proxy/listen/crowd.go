package listen

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// mostConns is how many connections there may be at once, where the system lets a
// program have as many: an eighth of its files are for others. More do not come
// from the address of one balancer, which has no more ports.
const mostConns = 1 << 16

// leaveEvery is how often is looked whether all have gone, and who has been idle
// for too long by then.
const leaveEvery = 20 * time.Millisecond

// A Crowd is all connections to the Greeters of one program.
type Crowd struct {
	roll *roll
	told atomic.Int64 // when was last said that it is full, Unix seconds
}

// NewCrowd counts up to 65,536 connections, or as many as the system lets a
// program have with an eighth left for other files.
func NewCrowd(log *zap.Logger) *Crowd {
	most := mostConns
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur-files.Cur/8 < mostConns {
		most = int(files.Cur - files.Cur/8)
		log.Named("listen").Info("fewer connections than might be, for the limit of open files", zap.Int("connections", most))
	}
	return &Crowd{roll: newRoll(most)}
}

// Busy says that a connection which a Greeter brought is being served, or waits for
// its next request.
func (c *Crowd) Busy(served net.Conn, so bool) {
	if s, ok := served.(interface{ base() *conn }); ok {
		c.roll.busy(s.base(), so)
	}
}

// Greeting is how many are still in the handshake.
func (c *Crowd) Greeting() int {
	_, hands := c.roll.left()
	return hands
}

// Served reports whether all that are left are being served: nobody is in the
// handshake, nor waits to send a request.
func (c *Crowd) Served() bool { return c.roll.waiting() == 0 }

// Disperse waits until all have gone, or ctx is done. Meanwhile it closes those
// that have been idle for so long: on an idle connection a request may be on its
// way, which is answered if it comes before.
func (c *Crowd) Disperse(ctx context.Context, idle time.Duration) {
	begun := time.Now()
	ticker := time.NewTicker(leaveEvery)
	defer ticker.Stop()
	for {
		if all, _ := c.roll.left(); all == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if now.Sub(begun) >= idle {
				c.roll.dismiss(now.Add(-idle))
			}
		}
	}
}

// Cut ends all that are left, and says how many those were.
func (c *Crowd) Cut() int { return c.roll.cutAll() }

// tell says once a second that nobody can be let in.
func (c *Crowd) tell(log *zap.Logger) {
	now := time.Now().Unix()
	if last := c.told.Load(); last != now && c.told.CompareAndSwap(last, now) {
		log.Warn("connection refused, there are as many as may be and none is idle")
	}
}
