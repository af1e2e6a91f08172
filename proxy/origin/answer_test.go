package origin_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// TestAnswers: what a server may and may not answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		body         string // empty: an error
	}{
		{"with a length", ok, "ok"},
		{"to the end", "HTTP/1.0 200 OK\r\n\r\nok", "ok"},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok"},
		{"in chunks, with a length that counts for nothing", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok"},
		{"the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "ok"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", ""},
		{"a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", ""},
		{"another coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", ""},
		{"too short", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", ""},
		{"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok", ""},
		{"chunks without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", ""},
		{"nothing", "", ""},
		{"garbage", "ok\r\n\r\n", ""},
		{"no status", "HTTP/1.1 OK\r\n\r\n", ""},
		{"a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", ""},
		{"HTTP/2 unasked", "HTTP/2 200 OK\r\n\r\nok", ""},
		{"a field without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\nok", ""},
		{"a field without a colon", "HTTP/1.1 200 OK\r\nx\r\n\r\nok", ""},
		{"a head beyond measure", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10) + "\r\nContent-Length: 2\r\n\r\nok", ""},
		{"a head of many fields", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: x\r\n", 60<<10) + "\r\nok", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := serveRaw(t, func(int, int) (string, bool) { return test.answer, false })
			_, body, err := do(pool(t, s.addr), request(t, http.MethodGet, "/", ""))
			if (err == nil) != (test.body != "") || err == nil && body != test.body {
				t.Errorf("got %q, %v; want %q", body, err, test.body)
			}
		})
	}
}

// TestEndlessHead: a server that never ends its head is given up at the bound.
func TestEndlessHead(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX: ")
		for err == nil {
			_, err = io.WriteString(conn, strings.Repeat("x", 4096))
		}
	}()
	if _, _, err := do(pool(t, l.Addr().String()), request(t, http.MethodGet, "/", "")); err == nil || !strings.Contains(err.Error(), "exceeded") {
		t.Errorf("got %v, want a bound that was exceeded", err)
	}
}

// TestFirstByte: the time for an answer is that for its first byte; after that it
// may take as long as it likes. Who was too slow is not asked again.
func TestFirstByte(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.URL.Path
		switch r.URL.Path {
		case "/late":
			<-r.Context().Done()
		case "/slow":
			_ = http.NewResponseController(w).Flush()
			<-time.After(1500 * time.Millisecond)
			_, _ = io.WriteString(w, "slow")
		}
	}))
	defer s.Close()
	p := poolOf(t, configs.Origin{Timeout: time.Second}, s.URL)
	if got := get(t, p, "/slow"); got != "slow" {
		t.Errorf("got %q, want slow", got)
	}
	_, _, err := do(p, request(t, http.MethodGet, "/late", ""))
	if e := (net.Error)(nil); !errors.As(err, &e) || !e.Timeout() {
		t.Errorf("got %v, want a timeout", err)
	}
	if n := len(seen); n != 2 {
		t.Errorf("the server saw %d requests, want 2", n)
	}
}

// TestEarlyAnswer: a server that answers before it has read the body, and closes,
// has answered.
func TestEarlyAnswer(t *testing.T) {
	t.Parallel()
	s, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	go func() {
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 512))
			_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"+strings.Repeat("x", 100_000))
			_ = conn.Close() // with unread bytes: a reset
		}
	}()
	p := pool(t, s.Addr().String())
	answered := 0
	for range 30 {
		resp, body, err := do(p, request(t, http.MethodPost, "/", strings.Repeat("a", 10<<20)))
		if err == nil && resp.StatusCode == http.StatusRequestEntityTooLarge && len(body) == 100_000 {
			answered++
		}
	}
	// A reset may overtake the answer: then the kernel forgets it.
	if answered < 25 {
		t.Errorf("%d of 30 uploads got the answer", answered)
	}
}

// TestLeaving: who leaves ends the request at the server within a moment, and the
// server's fault it is not.
func TestLeaving(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan bool, 1), make(chan bool, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
		ended <- true
	}))
	defer s.Close()
	p := pool(t, s.URL)
	for range 5 {
		ctx, leave := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, _, err := do(p, request(t, http.MethodGet, "/", "").WithContext(ctx)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
		<-arrived
		leave()
		waiting.Wait()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Fatal("the server works on")
		}
	}
	if p.Away() != 0 {
		t.Error("the server is passed over")
	}
}

// TestKeepAliveHint: a server that says for how long it keeps connections is
// believed, with a second to spare.
func TestKeepAliveHint(t *testing.T) {
	t.Parallel()
	for hint, want := range map[string]int{"timeout=1": 2, "timeout=60, max=100": 1, "max=1": 1, "TIMEOUT=0": 2} {
		s := serveRaw(t, func(int, int) (string, bool) {
			return strings.Replace(ok, "\r\n", "\r\nKeep-Alive: "+hint+"\r\n", 1), true
		})
		p := pool(t, s.addr)
		get(t, p, "/")
		get(t, p, "/")
		if _, conns := s.seen(); conns != want {
			t.Errorf("%s: %d connections were opened, want %d", hint, conns, want)
		}
	}
}

// TestClose: connections that wait are closed, answers under way are not.
func TestClose(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { return ok, true })
	p := pool(t, s.addr)
	get(t, p, "/")
	resp, err := p.RoundTrip(request(t, http.MethodGet, "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != "ok" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
	_ = resp.Body.Close()
	eventually(t, "closed connections", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.closed == s.conns
	})
}
