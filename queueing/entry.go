package queueing

import (
	"context"
	"sync"
	"time"
)

// entryPause is the least time between two calls for numbers: a crowd on one
// edge costs Redis at most 200 calls a second.
const entryPause = 5 * time.Millisecond

// entry lets arrivals that come together share one call. There is no goroutine:
// whoever holds the turn makes the call for all who joined its batch. Everyone
// who waits also waits for the turn, so a caller that leaves is replaced.
type entry struct {
	take func(ctx context.Context, n int) (first uint64, err error)
	turn chan struct{} // holds one value; whoever has taken it leads

	mu      sync.Mutex
	pending *batch    // those who will go with the next call, nil: nobody yet
	last    time.Time // end of the last call; only the leader touches it
}

// batch is one call's worth of arrivals. n grows until the batch is led; first
// and err are written before done is closed.
type batch struct {
	n     int
	done  chan struct{}
	first uint64
	err   error
}

func newEntry(take func(context.Context, int) (uint64, error)) *entry {
	e := &entry{take: take, turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	return e
}

// number waits for this caller's own number.
func (e *entry) number(ctx context.Context) (uint64, error) {
	b, i := e.join()
	select {
	case <-b.done:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-e.turn:
		err := e.lead(ctx, b)
		e.turn <- struct{}{}
		if err != nil {
			return 0, err
		}
	}
	return b.first + uint64(i), b.err
}

func (e *entry) join() (b *batch, i int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pending == nil {
		e.pending = &batch{done: make(chan struct{})}
	}
	b, i = e.pending, e.pending.n
	b.n++
	return b, i
}

// lead makes the call for b, unless the leader before has just done so. It
// fails only if ctx ends before the call, and then leaves b to the others.
func (e *entry) lead(ctx context.Context, b *batch) error {
	select {
	case <-b.done:
		return nil
	default:
	}
	if wait := time.Until(e.last.Add(entryPause)); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	e.mu.Lock()
	e.pending = nil
	e.mu.Unlock()

	// From here on the call is everyone's, not only the leader's.
	b.first, b.err = e.take(context.WithoutCancel(ctx), b.n)
	e.last = time.Now()
	close(b.done)
	return nil
}
