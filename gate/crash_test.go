package gate_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

var errCrashed = errors.New("the process is no more")

// crash stands between a client and its Redis. Once armed it lets so many commands
// through, and then none until it is disarmed: what a process does that ends there.
// The last command may still run, its answer lost.
type crash struct {
	mu    sync.Mutex
	armed bool
	left  int
	runs  bool // the command at which it ends is run
}

func (c *crash) arm(after int, runs bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed, c.left, c.runs = true, after, runs
}

func (c *crash) disarm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
}

// pass says whether a command is run, and whether it is answered.
func (c *crash) pass() (run, answer bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.armed {
		return true, true
	}
	c.left--
	return c.left >= 0 || c.left == -1 && c.runs, c.left >= 0
}

func (c *crash) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *crash) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		run, answer := c.pass()
		if run {
			if err := next(ctx, cmd); err != nil || answer {
				return err
			}
		}
		cmd.SetErr(errCrashed)
		return errCrashed
	}
}

// ProcessPipelineHook lets a pipeline break off after any of its commands.
func (c *crash) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		var broken error
		for _, cmd := range cmds {
			run, answer := c.pass()
			if run {
				_ = next(ctx, []redis.Cmder{cmd})
			}
			if !answer {
				cmd.SetErr(errCrashed)
				broken = errCrashed
			}
		}
		return broken
	}
}

// mortal is a gate of so many buckets whose process may end.
func mortal(t *testing.T, rdb *redis.Client, key string, buckets int) (*gate.Gate, *crash) {
	t.Helper()
	c, rdb := &crash{}, client(t, "redis://"+rdb.Options().Addr)
	tear(t, gate.Load(t.Context(), rdb)) // over a connection that is greeted before
	rdb.AddHook(c)
	return gate.New(rdb, key, buckets), c
}
