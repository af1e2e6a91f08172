package proxy

import (
	"context"
	"errors"
	"sync"
)

// errBrokenOff is the end of a fetch that panicked, for those who waited for it.
var errBrokenOff = errors.New("fetch broke off")

// flight lets one fetch at a time happen. Whoever comes first does it, in the
// goroutine that it already is, so that there is none without an owner; who
// comes meanwhile waits for what it brings. The zero value is ready.
type flight struct {
	mu  sync.Mutex
	now *fetching // nil: none under way
}

// fetching is one fetch; its result may be read once done is closed.
type fetching struct {
	done  chan struct{}
	sheet *sheet
	err   error
}

// do is fetch's result, or that of the fetch under way. Only the waiting ends
// with ctx.
func (f *flight) do(ctx context.Context, fetch func() (*sheet, error)) (*sheet, error) {
	one, first := f.join()
	if first {
		defer f.land(one)
		one.sheet, one.err = fetch()
		return one.sheet, one.err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-one.done:
		return one.sheet, one.err
	}
}

func (f *flight) join() (one *fetching, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now != nil {
		return f.now, false
	}
	f.now = &fetching{done: make(chan struct{}), err: errBrokenOff}
	return f.now, true
}

func (f *flight) land(one *fetching) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = nil
	close(one.done)
}
