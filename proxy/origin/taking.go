package origin

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	aheadAfter = 500 * time.Millisecond // a client takes nothing for so long, and the rest of its answer is read ahead
	mostAhead  = 64 << 10               // bytes of it
	mostEarly  = 1024                   // answers at once that are in memory and hold no slot any more
	spare      = 5 * time.Second        // who takes nothing for so long is cut, when others wait for a slot
	silence    = 30 * time.Second       // an answer of which nothing comes for so long is cut then, too
	cutEvery   = time.Second            // by each who waits
)

// errCut is the answer of a client that took nothing of it while others waited.
var errCut = errors.New("client takes nothing of the answer, and others wait for the origin")

// errSilent is one of which nothing came while others waited.
var errSilent = errors.New("nothing comes of the answer, and others wait for the origin")

// body is an answer's, which holds the slot and the connection of its request until
// it is closed, or was read to its end: that is when the server has done its part,
// however long the client takes. What is short and not taken is read ahead, so that
// its end comes soon.
type body struct {
	from   io.ReadCloser
	server *server
	free   func()       // gives slot and connection back
	idle   atomic.Int64 // since when nobody reads, in Unix nanoseconds; 0: somebody does
	asked  atomic.Int64 // since when they do

	mu      sync.Mutex
	moved   sync.Cond   // something is ahead, or reading ahead is over
	left    int64       // bytes of the answer; negative: not known
	ahead   []byte      // was read and not taken
	reading bool        // ahead
	err     error       // behind what is ahead; nil: it goes on
	timer   *time.Timer // until the rest is read ahead
	early   bool        // it holds nothing any more, and counts
	closed  bool
}

func newBody(s *server, from io.ReadCloser, length int64, back func()) *body {
	b := &body{from: from, server: s, left: length}
	b.moved.L = &b.mu
	b.free = sync.OnceFunc(func() {
		s.forget(b)
		_ = from.Close()
		back()
	})
	b.idle.Store(time.Now().UnixNano())
	s.note(b)
	return b
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	b.asked.Store(time.Now().UnixNano())
	b.idle.Store(0)
	if b.timer != nil {
		b.timer.Stop()
	}
	for b.reading && len(b.ahead) == 0 {
		b.moved.Wait()
	}
	n, err := copy(p, b.ahead), b.err
	b.ahead = b.ahead[n:]
	b.mu.Unlock()
	if n > 0 {
		b.idle.Store(time.Now().UnixNano())
		return n, nil
	}
	if err == nil {
		n, err = b.from.Read(p)
		err = b.took(n, err)
	}
	return n, err
}

// Ready reports whether something can be read without waiting.
func (b *body) Ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	from, ok := b.from.(interface{ Ready() bool })
	return len(b.ahead) > 0 || b.err != nil || !b.reading && ok && from.Ready()
}

// took notes what was read for a client that asked.
func (b *body) took(n int, err error) error {
	b.mu.Lock()
	if b.err != nil && err != nil && err != io.EOF {
		err = b.err // it was cut meanwhile
	}
	b.note(n, err)
	b.idle.Store(time.Now().UnixNano())
	switch {
	case err != nil || b.left > mostAhead || b.closed:
	case b.timer == nil:
		b.timer = time.AfterFunc(aheadAfter, b.readAhead)
	default:
		b.timer.Reset(aheadAfter)
	}
	b.mu.Unlock()
	if err == io.EOF {
		b.letGo()
	}
	return err
}

// note is called under the lock.
func (b *body) note(n int, err error) {
	if b.left >= 0 {
		b.left -= int64(n)
	}
	if b.err == nil {
		b.err = err
	}
}

// readAhead reads what is left of an answer, if that is little, in the place of a
// client that does not.
func (b *body) readAhead() {
	b.mu.Lock()
	if b.idle.Load() == 0 || b.reading || b.closed || b.err != nil || len(b.ahead) > 0 {
		b.mu.Unlock()
		return
	}
	b.reading = true
	b.mu.Unlock()
	var err error
	piece := make([]byte, 4<<10)
	for all := 0; err == nil && all < mostAhead; {
		var n int
		n, err = b.from.Read(piece)
		all += n
		b.mu.Lock()
		b.note(n, err)
		b.ahead = append(b.ahead, piece[:n]...)
		b.moved.Broadcast()
		b.mu.Unlock()
	}
	b.mu.Lock()
	b.reading = false
	b.moved.Broadcast()
	b.mu.Unlock()
	if err == io.EOF {
		b.letGo()
	}
}

// letGo gives slot and connection back before the client has taken all, unless too
// much is in memory for such clients.
func (b *body) letGo() {
	b.mu.Lock()
	if !b.early && !b.closed {
		b.early = b.server.pool.early.Add(1) <= mostEarly
		if !b.early {
			b.server.pool.early.Add(-1)
		}
	}
	early := b.early
	b.mu.Unlock()
	if early {
		b.free()
	}
}

// Close ends the answer, wherever it is.
func (b *body) Close() error {
	b.mu.Lock()
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.early && !b.closed {
		b.server.pool.early.Add(-1)
	}
	b.closed = true
	b.mu.Unlock()
	b.free()
	return nil
}

// cut takes the slot and the connection of an answer, for a reason.
func (b *body) cut(why error) {
	b.mu.Lock()
	b.note(0, why) // what was read to its end stays whole
	b.mu.Unlock()
	b.free()
}

// note keeps an answer that holds a slot.
func (s *server) note(b *body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies[b] = struct{}{}
}

func (s *server) forget(b *body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bodies, b)
}

// spareOne cuts the client that has taken nothing for longest, if that is long, or the
// answer of which nothing has come for longest, if that is very long.
func (s *server) spareOne(now time.Time) {
	oldest, since := (*body)(nil), now.Add(-spare).UnixNano()
	mute, until := (*body)(nil), now.Add(-silence).UnixNano()
	s.mu.Lock()
	for b := range s.bodies {
		if at := b.idle.Load(); at != 0 && at <= since {
			oldest, since = b, at
		} else if at := b.asked.Load(); b.idle.Load() == 0 && at <= until {
			mute, until = b, at
		}
	}
	why := errCut
	if oldest == nil {
		oldest, why = mute, errSilent
	}
	delete(s.bodies, oldest) // so that nobody cuts it again
	s.mu.Unlock()
	if oldest != nil {
		oldest.cut(why)
	}
}
