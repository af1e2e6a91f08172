package cache

import (
	"context"
	"errors"
)

// errBrokenOff is the end of a fetch that panicked, for those who waited for it.
var errBrokenOff = errors.New("fetch broke off")

// fetching is one fetch of a page; its result may be read once done is closed.
type fetching struct {
	done   chan struct{}
	answer *answer
	err    error
}

// do is get's result, or that of the fetch under way. Whoever comes first does it,
// in the goroutine that it already is. Only the waiting ends with ctx.
func (p *Page) do(ctx context.Context, get func() (*answer, error)) (*answer, error) {
	p.mu.Lock()
	one := p.now
	if one == nil {
		one = &fetching{done: make(chan struct{}), err: errBrokenOff}
		p.now = one
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.now = nil
			close(one.done)
		}()
		one.answer, one.err = get()
		return one.answer, one.err
	}
	p.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-one.done:
		return one.answer, one.err
	}
}
