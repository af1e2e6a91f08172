package gate

import (
	"context"
	"runtime"
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	// lanes is how many convoys to one bucket may be on their way at a time: one
	// that Redis works on, one that waits for it, and one whose answers are read.
	lanes = 3
	// convoySize is the most asks in one convoy.
	convoySize = 64
)

// convoy lets asks of one bucket that come at the same time travel together, in
// one pipeline, each with an answer of its own: a crowd costs Redis few packets.
// Nobody waits for company: who finds a lane free goes at once, and takes along
// all who came while there was none.
//
// There is no goroutine: whoever takes a lane drives for everybody in the same
// load. Everybody who waits also waits for a lane, so one who leaves is replaced.
type convoy struct {
	drive func(ctx context.Context, asks []errand) []*redis.Cmd
	lanes chan struct{} // takes as many values as convoys may be on their way

	mu      sync.Mutex
	waiting *load // those who go next; nil: nobody
}

// load is what travels in one convoy. It grows until it leaves; answers are
// written before back is closed.
type load struct {
	asks    []errand
	answers []*redis.Cmd
	back    chan struct{}
	left    bool // guarded by the convoy's mutex
}

func newConvoy(drive func(context.Context, []errand) []*redis.Cmd) *convoy {
	return &convoy{drive: drive, lanes: make(chan struct{}, lanes)}
}

// ask sends one ask along and waits for its answer. It fails only if ctx ends
// first; then the ask may be on its way all the same.
func (c *convoy) ask(ctx context.Context, e errand) (*redis.Cmd, error) {
	l, i := c.join(e)
	select {
	case <-l.back:
	case <-ctx.Done():
		return nil, ctx.Err()
	case c.lanes <- struct{}{}:
		c.lead(ctx, l)
		<-c.lanes
	}
	select { // somebody else may drive it
	case <-l.back:
		return l.answers[i], nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *convoy) join(e errand) (l *load, i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil || len(c.waiting.asks) == convoySize {
		c.waiting = &load{back: make(chan struct{})}
	}
	l, i = c.waiting, len(c.waiting.asks)
	l.asks = append(l.asks, e)
	return l, i
}

// lead drives a load there and back, unless it has left already.
func (c *convoy) lead(ctx context.Context, l *load) {
	runtime.Gosched() // those who are about to ask, mostly the ones just answered, come along
	c.mu.Lock()
	gone := l.left
	l.left = true
	if c.waiting == l {
		c.waiting = nil
	}
	c.mu.Unlock()
	if gone {
		return
	}
	// From here on the way is everybody's, not only the driver's.
	l.answers = c.drive(context.WithoutCancel(ctx), l.asks)
	close(l.back)
}

// goAlong runs an errand once, in one pipeline with others that come for the same
// bucket at the same time.
func (g *Gate) goAlong(ctx context.Context, e errand) *redis.Cmd {
	cmd, err := g.convoys[e.bucket].ask(ctx, e)
	switch {
	case err != nil:
		cmd = redis.NewCmd(ctx)
		cmd.SetErr(err)
	case redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT"): // nothing ran
		cmd = e.Eval(ctx, g.rdb, g.buckets[e.bucket].all(), e.args...)
	}
	return cmd
}
