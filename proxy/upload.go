package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

const (
	// An upload has to come at leastRate, on average over each leastSpan that was
	// spent on waiting for it. An upload is a body that the origin has not begun to
	// answer; a stream both ways may be as slow as it likes.
	leastRate = 512 // bytes a second
	leastSpan = time.Minute

	// What is left of a body when its answer is complete is read and forgotten for
	// so long, at most, or until nothing comes: who still sends does not read yet,
	// and a connection that is closed under what is sent loses the answer.
	lingerMost  = 5 * time.Second
	lingerStall = time.Second
)

var (
	errNotTaken = errors.New("origin takes nothing of the body")
	errNotAsked = errors.New("origin answered without asking for the body")
	errTrickles = fmt.Errorf("body comes at less than %d bytes a second: %w", leastRate, os.ErrDeadlineExceeded)
)

// upload is the body of a request that is passed on. Nothing of it is kept.
type upload struct {
	body   io.ReadCloser
	stream *stream
	most   int64 // bytes; 0: any number
	read   int64
	ended  atomic.Bool

	coming *time.Timer // while the shopper is waited for
	taken  *time.Timer // while the origin is
	stall  time.Duration

	waited time.Duration // of this span
	came   int64         // bytes in it
}

func newUpload(s *stream, body io.ReadCloser, most int64, stall time.Duration, notTaken context.CancelCauseFunc) *upload {
	u := &upload{body: body, stream: s, most: most, stall: stall}
	u.coming = s.cutAfter(streamStall, s.control.SetReadDeadline)
	u.taken = time.AfterFunc(stall, func() {
		if !s.answering.Load() {
			notTaken(errNotTaken)
		}
	})
	u.taken.Stop()
	return u
}

// Read is what the origin is sent. The first one has the shopper asked to send on,
// so who waits to be asked is not, where the origin answered without asking.
func (u *upload) Read(b []byte) (int, error) {
	s := u.stream
	if u.read == 0 && s.begun.Load() && s.r.Header.Get("Expect") != "" {
		select { // what has begun is not known yet: the body is sent on as soon as it is asked for
		case <-s.asked:
		case <-s.over: // an error before would cost the answer
			return 0, errNotAsked
		}
	}
	u.taken.Stop()
	begun := time.Now()
	u.coming.Reset(streamStall)
	n, err := u.body.Read(b)
	u.coming.Stop()
	u.read += int64(n)
	switch {
	case u.most > 0 && u.read > u.most:
		n, err = 0, errTooLarge
	case err == nil && u.trickles(time.Since(begun), n):
		n, err = 0, errTrickles
	}
	if err == nil {
		u.taken.Reset(u.stall)
		return n, nil
	}
	if !errors.Is(err, errTooLarge) {
		u.ended.Store(true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != io.EOF && err != http.ErrBodyReadAfterClose {
		s.broken = err
	}
	return n, err
}

// trickles counts what came and how long that took, and reports whether it was
// too little.
func (u *upload) trickles(took time.Duration, n int) bool {
	u.waited += took
	u.came += int64(n)
	if u.waited < leastSpan {
		return false
	}
	slow := float64(u.came) < leastRate*u.waited.Seconds()
	u.waited, u.came = 0, 0
	return slow && !u.stream.answering.Load()
}

func (u *upload) Close() error { return u.body.Close() }

// end stops what waits for the body, and, where the answer is whole, lets the rest
// of one come that it did not wait for. HTTP/2 needs no such help, and who was not
// asked sends nothing.
func (u *upload) end(whole bool) {
	s := u.stream
	u.taken.Stop()
	if !whole || u.ended.Load() || s.r.ProtoMajor != 1 || s.r.Context().Err() != nil || u.read == 0 && s.r.Header.Get("Expect") != "" {
		return
	}
	if s.FlushError() != nil {
		return
	}
	until := time.Now().Add(lingerMost)
	forgotten := make([]byte, 16<<10)
	for time.Now().Before(until) {
		_ = s.control.SetReadDeadline(time.Now().Add(lingerStall))
		if _, err := u.body.Read(forgotten); err != nil {
			return
		}
	}
}
