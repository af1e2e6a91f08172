package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// line is a writer whose deadlines work, with a body that comes as it is told.
type line struct {
	*httptest.ResponseRecorder
	mu   sync.Mutex
	cut  map[string]bool // deadlines that are over
	ends chan struct{}   // ends what hangs
}

func newLine() *line {
	return &line{ResponseRecorder: httptest.NewRecorder(), cut: map[string]bool{}, ends: make(chan struct{}, 1)}
}

func (l *line) set(which string, t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if over := !t.IsZero() && t.Before(time.Now()); over {
		l.cut[which] = true
		l.ends <- struct{}{}
	}
	return nil
}

func (l *line) SetReadDeadline(t time.Time) error  { return l.set("read", t) }
func (l *line) SetWriteDeadline(t time.Time) error { return l.set("write", t) }
func (l *line) Write([]byte) (int, error)          { <-l.ends; return 0, os.ErrDeadlineExceeded }

// trickle comes a few bytes at a time.
type trickle struct {
	every time.Duration
	bytes int
}

func (c trickle) Read(b []byte) (int, error) {
	time.Sleep(c.every)
	return min(c.bytes, len(b)), nil
}
func (trickle) Close() error { return nil }

// silence never comes.
type silence struct{ *line }

func (s silence) Read([]byte) (int, error) { <-s.ends; return 0, os.ErrDeadlineExceeded }
func (silence) Close() error               { return nil }

// TestStalls: only who is waited for can be too slow.
func TestStalls(t *testing.T) {
	t.Parallel()
	post := func(body io.ReadCloser) *http.Request {
		return &http.Request{Method: http.MethodPost, ProtoMajor: 2, Header: http.Header{}, Body: body, ContentLength: -1}
	}
	never := func(error) {}
	for name, play := range map[string]func(t *testing.T){
		"an origin that says nothing for an hour": func(t *testing.T) {
			l := newLine()
			s := newStream(l, post(trickle{0, 100}), 0, time.Minute, never)
			time.Sleep(time.Hour)
			s.end()
			if len(l.cut) > 0 {
				t.Errorf("%v is cut", l.cut)
			}
		},
		"a shopper who takes nothing": func(t *testing.T) {
			l, begun := newLine(), time.Now()
			s := newStream(l, post(nil), 0, time.Minute, never)
			if _, err := s.Write([]byte("x")); err == nil || time.Since(begun) != streamStall || !l.cut["write"] {
				t.Errorf("cut after %v, want %v", time.Since(begun), streamStall)
			}
			s.end()
		},
		"a shopper who sends nothing": func(t *testing.T) {
			l, begun := newLine(), time.Now()
			r := post(silence{l})
			s := newStream(l, r, 0, time.Minute, never)
			if _, err := s.upload.Read(make([]byte, 9)); !isTimeout(err) || time.Since(begun) != streamStall || !l.cut["read"] {
				t.Errorf("cut after %v, %v, want %v", time.Since(begun), err, streamStall)
			}
			if !isTimeout(s.unread()) {
				t.Errorf("the reason is %v", s.unread())
			}
			s.end()
		},
		"a shopper who sends a little": func(t *testing.T) {
			r, begun := post(trickle{time.Second, leastRate - 1}), time.Now()
			s := newStream(newLine(), r, 0, time.Minute, never)
			var err error
			for err == nil {
				_, err = s.upload.Read(make([]byte, 4096))
			}
			if !errors.Is(err, errTrickles) || time.Since(begun) != leastSpan {
				t.Errorf("got %v after %v, want %v after %v", err, time.Since(begun), errTrickles, leastSpan)
			}
			s.end()
		},
		"a shopper who sends enough": func(t *testing.T) {
			r := post(trickle{10 * time.Second, 10 * leastRate})
			s := newStream(newLine(), r, 0, time.Hour, never)
			for range 100 {
				time.Sleep(time.Minute) // of the origin
				if _, err := s.upload.Read(make([]byte, 1<<20)); err != nil {
					t.Fatal(err)
				}
			}
			s.end()
		},
		"a stream both ways that is slow": func(t *testing.T) {
			r := post(trickle{10 * time.Second, 1})
			s := newStream(newLine(), r, 0, time.Hour, never)
			s.WriteHeader(http.StatusOK)
			for range 100 {
				if _, err := s.upload.Read(make([]byte, 9)); err != nil {
					t.Fatal(err)
				}
			}
			s.end()
		},
		"an origin that takes nothing": func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			r := post(trickle{0, 100})
			s := newStream(newLine(), r, 0, 2*time.Minute, cancel)
			_, _ = s.upload.Read(make([]byte, 9))
			time.Sleep(2*time.Minute - 1)
			if ctx.Err() != nil {
				t.Error("given up too soon")
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if !errors.Is(context.Cause(ctx), errNotTaken) {
				t.Errorf("got %v, want %v", context.Cause(ctx), errNotTaken)
			}
			s.end()
		},
		"a body that is too long": func(t *testing.T) {
			r := post(io.NopCloser(strings.NewReader(strings.Repeat("a", 100))))
			s := newStream(newLine(), r, 99, time.Minute, never)
			n, err := io.Copy(io.Discard, s.upload)
			if !errors.Is(err, errTooLarge) || n > 99 || !errors.Is(s.unread(), errTooLarge) {
				t.Errorf("%d bytes came through, %v", n, err)
			}
			s.end()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, play)
		})
	}
}
