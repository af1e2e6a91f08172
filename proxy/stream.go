package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/listen"
)

const (
	streamStall = 60 * time.Second // a shopper may take or send nothing for so long, while asked to
	maxInterim  = 20               // answers of the 1xx kind passed on before the real one
	lookEvery   = time.Second      // whether a shopper has left whose connection holds what is unread
)

var errLeft = errors.New("shopper has left")

// stream lets a request and its answer take as long as they move: only a shopper
// who takes nothing of what is written, or sends nothing of what is read, is cut.
// What the origin keeps open may be silent for ever.
type stream struct {
	http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	upload  *upload     // nil: the request has no body
	tunnel  *tunnel     // nil: what is spoken is still HTTP
	answer  *answerBody // nil: there is none yet
	taking  *time.Timer
	looking *time.Timer // whether the shopper has left; nil: their server sees it
	interim int
	whole   bool // the answer is complete

	begun     atomic.Bool // something of an answer has come
	answering atomic.Bool // the real answer goes out
	once      sync.Once
	asked     chan struct{} // for an upload, as is what follows: closed when the origin asks for the body (RFC 9110, 15.2.1), or says that it is not done
	over      chan struct{}

	relaying sync.Mutex
	relay    bool // answers of the 1xx kind are passed on here

	mu     sync.Mutex // an upload may still be read while its request ends
	ended  bool
	broken error // why the upload could not be read on; nil: it could
}

// newStream wraps the writer of a request that is passed on, and its body, which
// the request itself keeps: its server looks at what has become of it. most is how long
// a body may be, 0 for any length; stop is called when the origin takes nothing of it for
// stall, and when the shopper has left.
func newStream(w http.ResponseWriter, r *http.Request, most int64, stall time.Duration, stop context.CancelCauseFunc) *stream {
	s := &stream{ResponseWriter: w, r: r, control: http.NewResponseController(w)}
	// Not every writer has deadlines, nor two directions at once.
	_ = s.control.EnableFullDuplex()
	_ = s.control.SetReadDeadline(time.Time{})
	_ = s.control.SetWriteDeadline(time.Time{})
	s.taking = s.cutAfter(streamStall, s.control.SetWriteDeadline)
	if r.Body != nil && r.Body != http.NoBody {
		s.asked, s.over = make(chan struct{}), make(chan struct{})
		s.upload = newUpload(s, r.Body, most, stall, stop)
	}
	if r.ProtoMajor == 1 {
		s.look(stop)
	}
	return s
}

// look looks now and then whether the shopper has left. net/http reads one byte beyond
// a request over HTTP/1 for that, and sees nothing behind it, nor while a body is unread.
func (s *stream) look(stop context.CancelCauseFunc) {
	by := wayInOf(s.r).by
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looking = time.AfterFunc(lookEvery, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case s.looking == nil:
		case listen.Left(by):
			_ = s.control.SetReadDeadline(time.Unix(1, 0))
			_ = s.control.SetWriteDeadline(time.Unix(1, 0))
			stop(errLeft)
		default:
			s.looking.Reset(lookEvery)
		}
	})
}

// lookAway ends that.
func (s *stream) lookAway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looking != nil {
		s.looking.Stop()
		s.looking = nil
	}
}

// cutAfter is a stopped timer that ends what hangs on a deadline, unless the
// connection is another request's by then.
func (s *stream) cutAfter(after time.Duration, set func(time.Time) error) *time.Timer {
	t := time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.ended {
			_ = set(time.Unix(1, 0))
		}
	})
	t.Stop()
	return t
}

// end lets go of the connection, which serves the next request from here on, once
// the rest of a body that nobody wanted was given time to come: who sends it may
// not read the answer before.
func (s *stream) end() {
	s.lookAway()
	if s.over != nil {
		close(s.over)
	}
	if s.answer != nil {
		_ = s.answer.Close() // also of one that a fault of ours left where it was
	}
	if s.tunnel != nil {
		s.tunnel.end()
	} else if s.upload != nil {
		s.upload.end(s.whole)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.taking.Stop()
	_ = s.control.SetWriteDeadline(time.Now().Add(streamStall)) // for what is flushed yet
}

// unread is why the client's body could not be read on; nil when it could.
func (s *stream) unread() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// trace notes what the origin says before its answer is there to be read.
func (s *stream) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotFirstResponseByte: func() { s.begun.Store(true) },
		Got1xxResponse: func(status int, h textproto.MIMEHeader) error {
			if s.asked != nil {
				s.once.Do(func() { close(s.asked) })
			}
			s.relayed(status, h)
			return nil
		},
	}
}

// WriteHeader passes interim answers on without what is meant for one hop only
// (RFC 9110, 7.6.1 and 15.2): not to HTTP/1.0, and not for ever. That the origin
// asks for a body has it read, upon which the shopper is asked for it.
func (s *stream) WriteHeader(status int) {
	if status >= 200 {
		s.answering.Store(true)
		s.ResponseWriter.WriteHeader(status)
		return
	}
	s.interim++
	if status == http.StatusContinue || s.interim > maxInterim || !s.r.ProtoAtLeast(1, 1) {
		return
	}
	cache.RemoveHopFields(s.Header()) // as the standard proxy does with final answers
	removeOwnFields(s.Header())
	s.taking.Reset(streamStall)
	s.ResponseWriter.WriteHeader(status)
	s.taking.Stop()
}

// Write gives the shopper time to take what is written.
func (s *stream) Write(b []byte) (int, error) {
	s.taking.Reset(streamStall)
	n, err := s.ResponseWriter.Write(b)
	s.taking.Stop()
	return n, err
}

// FlushError is for http.ResponseController.
func (s *stream) FlushError() error {
	s.taking.Reset(streamStall)
	err := s.control.Flush()
	s.taking.Stop()
	return err
}

// Unwrap is for http.ResponseController.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }
