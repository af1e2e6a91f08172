package gate

import "context"

// gathering is one collection for all who asked for it before it began.
type gathering struct {
	done chan struct{}
	collection
	err error
}

// gather is collect for a crowd: whoever comes while one runs shares the next. The
// asking is nobody's alone, so it does not end with a caller who leaves.
func (g *Gate) gather(ctx context.Context) (collection, error) {
	g.mu.Lock()
	if g.next == nil {
		g.next = &gathering{done: make(chan struct{})}
	}
	mine := g.next
	g.mu.Unlock()
	select {
	case <-mine.done:
		return mine.collection, mine.err
	case <-ctx.Done():
		return collection{}, ctx.Err()
	case g.turn <- struct{}{}:
	}
	defer func() { <-g.turn }()
	g.mu.Lock()
	first := g.next == mine
	if first {
		g.next = nil // who comes from now on must not be told what was before
	}
	g.mu.Unlock()
	if first {
		mine.collection, mine.err = g.collect(context.WithoutCancel(ctx))
		close(mine.done)
	}
	<-mine.done
	return mine.collection, mine.err
}
