package cache_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
)

const host = "shop.example.com"

// shop is a storefront that is called and not connected to, so that time can stand
// still. It notes what it was asked.
type shop struct {
	handle http.HandlerFunc

	mu       sync.Mutex
	requests []*http.Request
	now      int // at once
	most     int
}

func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	body, w := io.Pipe()
	answer := &answerWriter{header: http.Header{}, began: make(chan struct{}), w: w, asked: r}
	go func() {
		defer func() {
			thrown := recover()
			s.mu.Lock()
			s.now--
			s.mu.Unlock()
			answer.end(thrown)
		}()
		s.handle(answer, r)
	}()
	select {
	case <-answer.began:
	case <-r.Context().Done():
		_ = body.Close()
		return nil, context.Cause(r.Context())
	}
	if answer.broken != nil {
		return nil, answer.broken
	}
	resp := answer.response(r)
	resp.Body = &watched{ReadCloser: body, stop: context.AfterFunc(r.Context(), func() { _ = body.CloseWithError(r.Context().Err()) })}
	if r.Method == http.MethodHead {
		_ = body.Close()
		resp.Body = http.NoBody
	}
	return resp, nil
}

type watched struct {
	io.ReadCloser
	stop func() bool
}

func (w *watched) Close() error {
	w.stop()
	return w.ReadCloser.Close()
}

func (s *shop) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *shop) atWork() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *shop) last() *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[len(s.requests)-1]
}

// answerWriter writes an answer into a response as it comes.
type answerWriter struct {
	header http.Header
	status int
	once   sync.Once
	began  chan struct{}
	w      *io.PipeWriter
	asked  *http.Request
	sent   http.Header
	broken error
}

func (a *answerWriter) Header() http.Header { return a.header }

func (a *answerWriter) WriteHeader(status int) {
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		if a.sent.Get("Date") == "" {
			a.sent.Set("Date", time.Now().UTC().Format(http.TimeFormat))
		}
		close(a.began)
	})
}

func (a *answerWriter) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.w.Write(b)
}

// end ends the answer: with http.ErrAbortHandler by breaking it off.
func (a *answerWriter) end(thrown any) {
	if thrown != nil {
		a.once.Do(func() { a.broken = io.ErrUnexpectedEOF; close(a.began) })
		_ = a.w.CloseWithError(io.ErrUnexpectedEOF)
		return
	}
	a.WriteHeader(http.StatusOK)
	_ = a.w.Close()
}

func (a *answerWriter) response(r *http.Request) *http.Response {
	resp := &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.sent, ContentLength: -1, Request: r,
	}
	if n := a.sent.Get("Content-Length"); n != "" {
		resp.ContentLength = atoi(n)
	} else if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		resp.TransferEncoding = []string{"chunked"}
	} else {
		resp.ContentLength = 0
	}
	return resp
}

func atoi(s string) (n int64) {
	for _, c := range s {
		n = n*10 + int64(c-'0')
	}
	return n
}

// front is a cache before a shop.
type front struct {
	t     *testing.T
	cache *cache.Cache
	shop  *shop
	via   http.RoundTripper

	mu  sync.Mutex
	did map[cache.Outcome]int
}

const own = "Waitroom-"

func newFront(t *testing.T, size int64, handle http.HandlerFunc) *front {
	f := &front{t: t, shop: &shop{handle: handle}, did: map[cache.Outcome]int{}}
	f.cache = cache.New(size, own, func(o cache.Outcome) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.did[o]++
	})
	f.via = f.cache.Transport(f.shop, "X-Account")
	return f
}

func (f *front) outcomes(o cache.Outcome) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.did[o]
}

// got is an answer that was read to its end.
type got struct {
	*http.Response
	body string
	err  error
}

func request(method, target string, fields ...string) *http.Request {
	r := httptest.NewRequest(method, "https://"+host+target, nil)
	r.RequestURI, r.Body = "", nil
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("X-Forwarded-Host", host)
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	return r
}

func (f *front) do(r *http.Request) got {
	resp, err := f.via.RoundTrip(r)
	if err != nil {
		return got{Response: &http.Response{Header: http.Header{}}, err: err}
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return got{resp, string(body), err}
}

func (f *front) get(target string, fields ...string) got {
	return f.do(request(http.MethodGet, target, fields...))
}

// is holds an answer against what is wanted of it.
func (g got) is(t *testing.T, what string, status int, body string) got {
	t.Helper()
	if g.err != nil || g.StatusCode != status || g.body != body {
		t.Errorf("%s: got %d %q, %v; want %d %q", what, g.StatusCode, brief(g.body), g.err, status, brief(body))
	}
	return g
}

func (g got) has(t *testing.T, what, name, value string) got {
	t.Helper()
	if v := strings.Join(g.Header.Values(name), ", "); v != value {
		t.Errorf("%s: %s is %q, want %q", what, name, v, value)
	}
	return g
}

func brief(s string) string { return s[:min(len(s), 60)] }

// says is a handler that sends fields and a body that tells how often it was
// called.
func says(fields ...string) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		n++
		body := "answer " + string(rune('0'+n))
		mu.Unlock()
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		_, _ = io.WriteString(w, body)
	}
}
