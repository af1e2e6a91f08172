package origin_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTurns: each server gets its share.
func TestTurns(t *testing.T) {
	t.Parallel()
	var servers []*raw
	var addresses []string
	for range 3 {
		s := serveRaw(t, func(int, int) (string, bool) { return ok, true })
		servers, addresses = append(servers, s), append(addresses, s.addr)
	}
	p := pool(t, addresses...)
	for range 30 {
		get(t, p, "/")
	}
	for i, s := range servers {
		if requests, conns := s.seen(); len(requests) != 10 || conns != 1 {
			t.Errorf("server %d saw %d requests over %d connections, want 10 over 1", i, len(requests), conns)
		}
	}
}

// TestAwayAndBack: a server that is away costs no request, and is asked again once
// it is back; where all are away each request asks anew.
func TestAwayAndBack(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { return ok, true })
	gone := closed(t)
	p := pool(t, gone, s.addr)
	for range 10 {
		get(t, p, "/")
	}
	if n := p.Away(); n != 1 {
		t.Errorf("%d servers are passed over, want 1", n)
	}
	back := listen(t, gone)
	begun := time.Now()
	eventually(t, "requests at the server that is back", func() bool { get(t, p, "/"); return back() > 0 })
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it was asked again after %v", took)
	}

	gone = closed(t)
	p = pool(t, gone)
	for range 10 {
		if _, _, err := do(p, request(t, http.MethodGet, "/", "")); err == nil {
			t.Fatal("nobody listens and somebody answers")
		}
	}
	listen(t, gone)
	if _, _, err := do(p, request(t, http.MethodGet, "/", "")); err != nil {
		t.Errorf("the first request to a server that is back: %v", err)
	}
}

// listen serves on an address and counts.
func listen(t *testing.T, addr string) func() int32 {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	n := make(chan int32, 1)
	n <- 0
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { n <- <-n + 1 })}}
	s.Start()
	t.Cleanup(s.Close)
	return func() int32 { v := <-n; n <- v; return v }
}

// TestStatusIsAnAnswer: what a server answers, however bad, is no reason to pass
// it over, or one bad page would take the shop away.
func TestStatusIsAnAnswer(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) {
		return "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n", true
	})
	p := pool(t, s.addr)
	for range 10 {
		get(t, p, "/")
	}
	if requests, _ := s.seen(); len(requests) != 10 || p.Away() != 0 {
		t.Errorf("the server saw %d requests and %d are passed over, want 10 and none", len(requests), p.Away())
	}
}

// TestLeftUnanswered: a server that accepts and never answers is passed over though
// its clients leave before its time is up, and nobody's POST finds out whether it is
// back.
func TestLeftUnanswered(t *testing.T) {
	t.Parallel()
	dumb := serveRaw(t, func(int, int) (string, bool) { <-t.Context().Done(); return "", false })
	fit := serveRaw(t, func(int, int) (string, bool) { return ok, true })
	p := pool(t, dumb.addr, fit.addr)
	var asking sync.WaitGroup
	for range 20 {
		asking.Go(func() {
			ctx, leave := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer leave()
			_, _, _ = do(p, request(t, http.MethodGet, "/", "").WithContext(ctx))
		})
	}
	asking.Wait()
	if n := p.Away(); n != 1 {
		t.Fatalf("%d servers are passed over, want 1", n)
	}
	eventually(t, "the end of its time", func() bool { return p.Away() == 0 })
	before, _ := dumb.seen()
	for range 10 {
		if _, _, err := do(p, request(t, http.MethodPost, "/", "a")); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := dumb.seen(); len(after) != len(before) {
		t.Errorf("%d posts tried the server", len(after)-len(before))
	}
}

// TestLeftInTime: who leaves soon, or before the request is whole, says nothing about
// the server.
func TestLeftInTime(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { <-t.Context().Done(); return "", false })
	p := pool(t, s.addr)
	var asking sync.WaitGroup
	for i := range 20 {
		asking.Go(func() {
			wait, body := 300*time.Millisecond, ""
			if i%2 == 1 {
				wait, body = 1500*time.Millisecond, "a"
			}
			ctx, leave := context.WithTimeout(t.Context(), wait)
			defer leave()
			req := request(t, http.MethodGet, "/", body).WithContext(ctx)
			if body != "" {
				req.Method, req.ContentLength = http.MethodPost, 2 // it never ends
				req.Body = stream{io.MultiReader(strings.NewReader(body), never{ctx})}
			}
			_, _, _ = do(p, req)
		})
	}
	asking.Wait()
	if n := p.Away(); n != 0 {
		t.Errorf("%d servers are passed over, want none", n)
	}
}

// never is a body of which nothing comes any more.
type never struct{ context.Context }

func (n never) Read([]byte) (int, error) { <-n.Done(); return 0, n.Err() }
