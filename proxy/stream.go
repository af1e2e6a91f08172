package proxy

import (
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	streamStall = 60 * time.Second // a stream may stand still for so long
	maxInterim  = 20               // answers of the 1xx kind passed on before the real one
)

// stream lets a request and its answer take as long as they move: each piece
// puts the connection's deadlines off, so that only what stands still is cut.
type stream struct {
	http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	interim int

	mu     sync.Mutex // an upload may still be read while its request ends
	ended  bool
	broken error // why the upload could not be read on; nil: it could
}

// newStream wraps writer and body of a request that is passed on.
func newStream(w http.ResponseWriter, r *http.Request) *stream {
	s := &stream{ResponseWriter: w, r: r, control: http.NewResponseController(w)}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &upload{r.Body, s}
	}
	return s
}

// end lets go of the connection, which serves the next request from here on.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// unread is why the client's body could not be read on; nil when it could.
func (s *stream) unread() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

func (s *stream) moving() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	until := time.Now().Add(streamStall)
	_ = s.control.SetWriteDeadline(until) // not every writer has deadlines
	_ = s.control.SetReadDeadline(until)
}

// WriteHeader passes interim answers on without what is meant for one hop only
// (RFC 9110, 7.6.1 and 15.2): not to HTTP/1.0, and not for ever.
func (s *stream) WriteHeader(status int) {
	if status >= 200 {
		s.moving()
		s.ResponseWriter.WriteHeader(status)
		return
	}
	s.interim++
	if s.interim > maxInterim || !s.r.ProtoAtLeast(1, 1) {
		return
	}
	removeHopFields(s.Header())
	removeOwnFields(s.Header())
	s.ResponseWriter.WriteHeader(status)
}

func (s *stream) Write(b []byte) (int, error) {
	s.moving()
	return s.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// upload is the body of a request that is passed on.
type upload struct {
	io.ReadCloser
	stream *stream
}

func (u *upload) Read(b []byte) (int, error) {
	u.stream.moving()
	n, err := u.ReadCloser.Read(b)
	if err != nil && err != io.EOF && err != http.ErrBodyReadAfterClose {
		u.stream.mu.Lock()
		defer u.stream.mu.Unlock()
		u.stream.broken = err
	}
	return n, err
}
