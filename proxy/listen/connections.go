package listen

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// leaveEvery is how often is looked whether all have gone, and who has been idle
// for too long by then.
const leaveEvery = 20 * time.Millisecond

// Connections are all connections to the Greeters of one program.
type Connections struct {
	roll    *roll
	desk    *desk
	refused func(reason string)
	told    atomic.Int64 // when was last said that it is full, Unix seconds
}

// NewConnections has room for 65,536 connections, or as many as the files that the system
// lets the program open, and the bytes of memory that it may take, allow. refused gets
// the bound for each connection that is refused, or goes for another one.
func NewConnections(memory uint64, refused func(reason string), log *zap.Logger) *Connections {
	files := filesAllowed()
	most, seats := boundsFor(files, memory), (runtime.GOMAXPROCS(0)+1)/2
	log.Named("listen").Info("room for connections", zap.Int("connections", most.all), zap.Int("of_one_address", most.ofOne),
		zap.Int("handshakes_at_once", seats), zap.Uint64("files", files), zap.Uint64("memory", memory))
	return &Connections{roll: newRoll(most), desk: newDesk(seats), refused: refused}
}

// Numbers are how many connections there are, and what they do.
type Numbers struct {
	Handshake int // PROXY header and handshake
	Waiting   int // of them, for a core to work at theirs
	Served    int // a request is being answered
	Idle      int // no request is under way
	Closed    int // the client has not heard yet that it is over
	Room      int // for so many
}

// Numbers counts them.
func (c *Connections) Numbers() Numbers {
	of := c.roll.counts()
	return Numbers{of[hands], c.desk.waiting(), of[none], of[idle], of[linger], c.roll.most.all}
}

// Busy says that a connection which a Greeter brought is being served, or waits for
// its next request.
func (c *Connections) Busy(served net.Conn, so bool) {
	if s, ok := served.(interface{ base() *conn }); ok {
		c.roll.busy(s.base(), so)
	}
}

// Begin counts a request over HTTP/2 on a connection that a Greeter brought. False:
// there are as many as may be, of all or of its address, and it has to be refused.
// Else End has to be called when it is over.
func (c *Connections) Begin(served net.Conn) bool {
	s, ok := served.(interface{ base() *conn })
	return !ok || c.roll.begin(s.base())
}

// End counts a request that is over.
func (c *Connections) End(served net.Conn) {
	if s, ok := served.(interface{ base() *conn }); ok {
		c.roll.end(s.base())
	}
}

// Greeting is how many are still in the handshake.
func (c *Connections) Greeting() int {
	_, hands := c.roll.left()
	return hands
}

// Served reports whether all that are left are being served: nobody is in the
// handshake, nor waits to send a request.
func (c *Connections) Served() bool { return c.roll.waiting() == 0 }

// Disperse waits until all have gone, or ctx is done. Meanwhile it closes those
// that have been idle for so long: on an idle connection a request may be on its
// way, which is answered if it comes before.
func (c *Connections) Disperse(ctx context.Context, idle time.Duration) {
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
func (c *Connections) Cut() int { return c.roll.cutAll() }

// enter takes a connection in, if there is room.
func (c *Connections) enter(one *conn, log *zap.Logger) (in bool) {
	in, why := c.roll.enter(one)
	c.tell(in, why, log)
	return in
}

// name says whose a connection is that is in, if there is room for it there.
func (c *Connections) name(one *conn, from netip.Prefix, log *zap.Logger) (in bool) {
	in, why := c.roll.name(one, from)
	c.tell(in, why, log)
	return in
}

// tell counts who goes, and says once a second that somebody cannot be let in.
func (c *Connections) tell(in bool, why reason, log *zap.Logger) {
	if why == "" {
		return
	}
	c.refused(string(why))
	now := time.Now().Unix()
	if last := c.told.Load(); !in && last != now && c.told.CompareAndSwap(last, now) {
		log.Warn("connection refused, there are as many as may be and none is idle", zap.String("bound", string(why)))
	}
}
