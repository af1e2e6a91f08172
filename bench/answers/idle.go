package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// settles is how long a server is left alone before its memory is looked at.
const settles = 3 * time.Second

// idle starts each server anew, lets connections ask once and holds them. What it holds
// for each is its resident memory; the kernel's is of both ends, and so halved.
func idle(ctx context.Context, st *stage, o options, r row, round int) (map[string]figures, error) {
	return st.inTurns(round, func(s *server) (figures, error) {
		s.Kill()
		if err := s.Start(); err != nil {
			return figures{}, err
		}
		if s == st.edge.server {
			if err := st.edge.useUp(ctx); err != nil {
				return figures{}, err
			}
		}
		return s.hold(ctx, o, st.target(s, r), r.held)
	})
}

func (s *server) hold(ctx context.Context, o options, t target, n int) (f figures, err error) {
	held := &crowd{}
	defer held.leave()
	if err := held.come(ctx, t, o.connections, o.connections); err != nil { // warm
		return f, err
	}
	before, err := s.look(ctx)
	if err != nil {
		return f, err
	}
	if err := held.come(ctx, t, n, o.connections); err != nil {
		return f, err
	}
	after, err := s.look(ctx)
	if err != nil {
		return f, err
	}
	each := float64(n)
	if got := after.files - before.files; got < n-n/50-otherFiles {
		err = fmt.Errorf("holds %d of %d connections", got, n)
	}
	return figures{rss: (after.rss - before.rss) / each, kernel: (after.kernel - before.kernel) / 2 / each}, err
}

// otherFiles is how many a server may close meanwhile that it had open for other things.
const otherFiles = 16

// holding is what a server has, and the kernel, in bytes.
type holding struct {
	rss, kernel float64
	files       int
}

func (s *server) look(ctx context.Context) (h holding, err error) {
	if err := pause(ctx, settles); err != nil {
		return h, err
	}
	kernel, err := kernelMemory()
	rss, err2 := s.Memory()
	pid, err3 := s.process()
	files, err4 := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return holding{float64(rss), float64(kernel), len(files)}, errors.Join(err, err2, err3, err4)
}

// crowd is connections that do nothing.
type crowd struct {
	mu  sync.Mutex
	all []talker
}

// addresses are how many people a crowd comes from, for a server may hold only so many
// connections of one.
const addresses = 32

// come adds n of them, so many at a time.
func (c *crowd) come(ctx context.Context, t target, n, together int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(together)
	for i := range n {
		one := t
		one.from = net.IPv4(127, 0, 1, byte(1+i%addresses))
		group.Go(func() error {
			conn, err := one.dial(ctx)
			if err != nil {
				return err
			}
			c.mu.Lock()
			c.all = append(c.all, conn)
			c.mu.Unlock()
			return conn.talk()
		})
	}
	return group.Wait()
}

func (c *crowd) leave() {
	for _, conn := range c.all {
		_ = conn.Close()
	}
}
