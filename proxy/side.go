package proxy

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// side is one end of a tunnel. What is written to it came from the other one.
type side struct {
	io.ReadWriteCloser
	tunnel *tunnel
	bye    []byte // the close frame for it

	mu      sync.Mutex
	frames  frames      // of what is written
	leaving bool        // bye goes out as soon as a frame is over
	left    bool        // it has gone out: nothing follows
	replied bool        // the other end has said goodbye since, or before
	parted  atomic.Bool // it has left and was replied to
}

// Read is the first thing that happens to both ends once the answer is out: from
// then on the tunnel can be told of a farewell.
func (s *side) Read(b []byte) (int, error) {
	s.tunnel.begun.Do(func() { s.tunnel.all.add(s.tunnel) })
	return s.ReadWriteCloser.Read(b)
}

// Write passes a piece on. From a farewell on it does so up to the end of a frame,
// behind which goes the close frame, and what comes then is only listened to.
func (s *side) Write(b []byte) (int, error) {
	if !s.tunnel.webSocket {
		return s.ReadWriteCloser.Write(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	rest := b
	if !s.left {
		through := s.follow(b)
		rest = b[through:]
		if _, err = s.ReadWriteCloser.Write(b[:through]); err != nil {
			return 0, err
		}
		err = s.sayBye()
	}
	for len(rest) > 0 { // the other end's answer to its own close frame is among it
		rest = rest[s.frames.skip(rest):]
	}
	s.replied = s.frames.closes
	s.part()
	return len(b), err
}

// follow is how much of b is to be passed on: all, or up to the end of a frame.
func (s *side) follow(b []byte) int {
	n := 0
	for n < len(b) && !(s.leaving && s.frames.between()) {
		n += s.frames.skip(b[n:])
	}
	return n
}

// sayBye sends the close frame if it is due. Who closes already gets none.
func (s *side) sayBye() error {
	if !s.leaving || s.left || !s.frames.between() {
		return nil
	}
	s.left = true
	if s.frames.closes {
		return nil
	}
	_, err := s.ReadWriteCloser.Write(s.bye)
	return err
}

func (s *side) farewell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
	if err := s.sayBye(); err != nil {
		s.tunnel.close()
	}
	s.part()
}

// part closes the tunnel once both ends have said goodbye in answer to ours.
func (s *side) part() {
	if !s.left || !s.replied {
		return
	}
	s.parted.Store(true)
	if s.tunnel.shopper.parted.Load() && s.tunnel.origin.parted.Load() {
		s.tunnel.close()
	}
}

// CloseWrite passes on that nothing more will come from the other end. The rest of
// a WebSocket, which has no halves, is given the time of a farewell.
func (s *side) CloseWrite() error {
	if s.tunnel.webSocket {
		time.AfterFunc(farewellWait, s.tunnel.close)
	}
	if half, ok := s.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Close ends both ends: one is of no use without the other.
func (s *side) Close() error {
	s.tunnel.close()
	return nil
}
