package cache

import (
	"context"
	"errors"
	"io"
	"sync"
)

// errOvergrown is the end of a spool whose body goes on, but not in memory.
var errOvergrown = errors.New("answer is larger than what is kept")

// spool is a body that is read while it comes, by any number of readers, each at
// its own pace.
type spool struct {
	mu    sync.Mutex
	bytes []byte        // only ever added to: what a reader saw stays
	ended error         // nil while it goes on, io.EOF when it is whole
	grown chan struct{} // closed when there is more to see
}

func newSpool(size int64) *spool {
	return &spool{bytes: make([]byte, 0, max(0, size)), grown: make(chan struct{})}
}

func (s *spool) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes = append(s.bytes, b...)
	s.wake()
}

// whole is the body, once it has ended well.
func (s *spool) whole() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

func (s *spool) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = err
	s.wake()
}

// isOver reports whether nothing more comes.
func (s *spool) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended != nil
}

func (s *spool) wake() {
	close(s.grown)
	s.grown = make(chan struct{})
}

// from is what there is behind an offset, what to wait for when there is nothing,
// and how it ended, if it has: io.EOF is well.
func (s *spool) from(offset int) (b []byte, grown <-chan struct{}, end error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes[offset:len(s.bytes):len(s.bytes)], s.grown, s.ended
}

// spoolReader reads a spool from its beginning, as far as it comes; then what is
// behind it, if somebody took that over.
type spoolReader struct {
	ctx    context.Context
	spool  *spool
	offset int
	rest   func() io.Reader // asked when the spool ended with errOvergrown; nil: not for this reader
	behind io.Reader
}

func (r *spoolReader) Read(p []byte) (int, error) {
	for {
		if r.behind != nil {
			return r.behind.Read(p)
		}
		b, grown, end := r.spool.from(r.offset)
		switch {
		case len(b) > 0:
			n := copy(p, b)
			r.offset += n
			return n, nil
		case errors.Is(end, errOvergrown) && r.rest != nil:
			r.behind = r.rest()
			continue
		case end != nil:
			return 0, end
		}
		select {
		case <-grown:
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx)
		}
	}
}
