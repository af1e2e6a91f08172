package express_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const get = "GET %s HTTP/1.1\r\nHost: shop.example.com\r\nX-One: 1\r\nCookie: a=b\r\n\r\n"

// speak sends text in one piece and reads n answers; rest is what follows until the end,
// if the connection is to end.
func speak(t *testing.T, s *stage, text string, methods ...string) (answers []string, r *bufio.Reader) {
	t.Helper()
	c := s.dial("http/1.1")
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	r = bufio.NewReader(c)
	for _, m := range methods {
		answers = append(answers, readAnswer(t, r, m))
	}
	return answers, r
}

func readAnswer(t *testing.T, r *bufio.Reader, method string) string {
	t.Helper()
	res, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("read answer: %v", err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("read body: %v", err)
	}
	if res.Header.Get("Date") == "" {
		t.Error("no date")
	}
	lane := res.Header.Get("X-Lane")
	if lane != "" {
		lane += " "
	}
	if res.Close {
		lane += "last "
	}
	if len(b) > 100 {
		return fmt.Sprint(lane, res.StatusCode, " ", len(b), " bytes")
	}
	return fmt.Sprint(lane, res.StatusCode, " ", string(b))
}

func TestHTTP1(t *testing.T) {
	t.Parallel()
	ready, other := fmt.Sprintf(get, "/ready/5"), fmt.Sprintf(get, "/other?q=1")
	const post = "POST /echo HTTP/1.1\r\nHost: shop.example.com\r\nContent-Length: 4\r\n\r\nbody"
	const at, seen = "express 200 xxxxx", "200 GET shop.example.com /other?q=1 1 [a=b]"
	for _, test := range []struct {
		name, text string
		methods    string
		want       []string
		ends       bool
		served     int64
	}{
		{"one", ready, "GET", []string{at}, false, 0},
		{"in a row", strings.Repeat(ready, 3), "GET GET GET", []string{at, at, at}, false, 0},
		{"head", strings.Replace(ready, "GET", "HEAD", 1) + ready, "HEAD GET", []string{"express 200 ", at}, false, 0},
		{"empty line before", "\r\n" + ready + "\r\n" + ready, "GET GET", []string{at, at}, false, 0},
		{"close", strings.Replace(ready, "X-One: 1", "connection: Close", 1) + ready, "GET", []string{"express last 200 xxxxx"}, true, 0},
		{"close behind another", other + strings.Replace(ready, "X-One: 1", "connection: Close", 1) + ready, "GET GET", []string{seen, "express last 200 xxxxx"}, true, 1},
		{"close, and a body behind", strings.Replace(ready, "X-One: 1", "connection: Close", 1) + post, "GET", []string{"express last 200 xxxxx"}, true, 0},
		{"close, and what goes on behind", strings.Replace(ready, "X-One: 1", "connection: Close", 1) + other, "GET", []string{"express last 200 xxxxx"}, true, 0},
		{"close, and what is broken behind", strings.Replace(ready, "X-One: 1", "connection: Close", 1) + "GET  / HTTP/1.1\r\n\r\n", "GET", []string{"express last 200 xxxxx"}, true, 0},
		{"goes on", other, "GET", []string{seen}, false, 1},
		{"goes on behind", ready + other, "GET GET", []string{at, seen}, false, 1},
		{"goes on before and behind", other + ready + other + ready, "GET GET GET GET", []string{seen, at, seen, at}, false, 1},
		{"body", post + ready + post, "POST GET POST", []string{"200 body", at, "200 body"}, false, 1},
		{"body behind", ready + post + ready, "GET POST GET", []string{at, "200 body", at}, false, 1},
		{"chunks behind", ready + "POST /echo HTTP/1.1\r\nHost: shop.example.com\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n" + ready, "GET POST GET", []string{at, "200 body", at}, false, 1},
		{"last body behind", ready + strings.Replace(post, "Host", "Connection: close\r\nHost", 1), "GET POST", []string{at, "last 200 body"}, true, 1},
		{"old behind", ready + strings.Replace(other, "HTTP/1.1", "HTTP/1.0", 1), "GET GET", []string{at, "last " + seen}, true, 1},
		{"options behind", ready + "OPTIONS /o HTTP/1.1\r\nHost: shop.example.com\r\n\r\n" + ready, "GET OPTIONS GET", []string{at, "200 OPTIONS shop.example.com /o  []", at}, false, 1},
		{"absolute behind", ready + strings.Replace(other, "/other", "https://shop.example.com/other", 1) + ready, "GET GET GET",
			[]string{at, "200 GET shop.example.com https://shop.example.com/other?q=1 1 [a=b]", at}, false, 1},
		{"large", fmt.Sprintf(get, "/ready/200000") + ready, "GET GET", []string{"express 200 200000 bytes", at}, false, 0},
		{"nothing", fmt.Sprintf(get, "/ready/0") + ready, "GET GET", []string{"express 200 ", at}, false, 0},
		{"old", strings.Replace(ready, "HTTP/1.1", "HTTP/1.0", 1), "GET", []string{"last 200 GET shop.example.com /ready/5 1 [a=b]"}, true, 1},
		{"expects", strings.Replace(ready, "X-One: 1", "Expect: 100-continue", 1), "GET", []string{"200 GET shop.example.com /ready/5  [a=b]"}, false, 1},
		{"absolute", strings.Replace(ready, "/ready", "https://shop.example.com/ready", 1), "GET",
			[]string{"200 GET shop.example.com https://shop.example.com/ready/5 1 [a=b]"}, false, 1},
		{"broken", "GET  / HTTP/1.1\r\n\r\n", "GET", []string{"last 400 " + brokenLine}, true, 0},
		{"broken behind", ready + "GET  / HTTP/1.1\r\n\r\n", "GET GET", []string{at, "last 400 " + brokenLine}, true, 0},
		{"broken behind another", other + "GET  / HTTP/1.1\r\n\r\n", "GET GET", []string{seen, "last 400 " + brokenLine}, true, 1},
		{"broken behind both", other + ready + "GET  / HTTP/1.1\r\n\r\n", "GET GET GET", []string{seen, at, "last 400 " + brokenLine}, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			got, r := speak(t, s, test.text, strings.Fields(test.methods)...)
			for i := range got {
				// Behind a request for the server, one that has come already may be its, too.
				byServer := strings.NewReplacer("express last 200 xxxxx", "last 200 GET shop.example.com /ready/5  [a=b]", at, "200 GET shop.example.com /ready/5 1 [a=b]").Replace(test.want[i])
				if got[i] != test.want[i] && !(test.served > 0 && got[i] == byServer) {
					t.Errorf("answer %d: got %q, want %q", i, got[i], test.want[i])
				}
			}
			if test.ends {
				if b, err := io.ReadAll(r); err != nil || len(b) > 0 {
					t.Errorf("behind the last answer: %q, %v", b, err)
				}
			}
			if got := s.served.Load(); got != test.served {
				t.Errorf("a server got %d connections, want %d", got, test.served)
			}
		})
	}
}

const brokenLine = "the request line is method, target and version, with one blank between them\n"

// TestHTTP1Turns: one waits for each answer, so that the lane has all that it can.
func TestHTTP1Turns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.dial("http/1.1")
	r := bufio.NewReader(c)
	for i := range 30 {
		path, want := "/ready/5", "express 200 xxxxx"
		if i%3 == 1 {
			path, want = "/other", "200 GET shop.example.com /other 1 [a=b]"
		}
		_, _ = fmt.Fprintf(c, get, path)
		if got := readAnswer(t, r, "GET"); got != want {
			t.Fatalf("turn %d: got %q, want %q", i, got, want)
		}
		time.Sleep(2 * time.Millisecond) // the server's look whether the client is there ends
	}
	if got := s.desk.wrote.Load(); got != 20 {
		t.Errorf("the lane answered %d, want 20", got)
	}
	if s.stirred.Load() < 20 {
		t.Errorf("it was said %d times that the connection is not idle, want 20", s.stirred.Load())
	}
}

// TestHTTP1Request: the desk sees what was sent.
func TestHTTP1Request(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	speak(t, s, "GET /ready/0001 HTTP/1.1\r\nHOST: Shop.example.com:443\r\nX-Tab:\t a B \t\r\nCookie: a=b\r\ncookie: c=d\r\nEmpty:\r\nConnection: keep-alive\r\n\r\n", "GET")
	const want = "GET Shop.example.com:443 /ready/0001 false shop.example.com [{host Shop.example.com:443} {x-tab a B} {cookie a=b} {cookie c=d} {empty } {connection keep-alive}]"
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	if got := s.desk.last; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHTTP1Hijack: what follows an upgrade is the handler's alone.
func TestHTTP1Hijack(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.dial("http/1.1")
	r := bufio.NewReader(c)
	_, _ = fmt.Fprintf(c, get, "/ready/5")
	if got := readAnswer(t, r, "GET"); got != "express 200 xxxxx" {
		t.Fatalf("got %q before", got)
	}
	_, _ = io.WriteString(c, "GET /hijack HTTP/1.1\r\nHost: shop.example.com\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v, %v", res, err)
	}
	text := fmt.Sprintf(get, "/ready/5")
	_, _ = io.WriteString(c, text)
	got := make([]byte, len(text))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != text {
		t.Errorf("got %q, %v back, want what was sent", got, err)
	}
}

// TestHTTP1Late: who takes too long for a head, for the first one, or between two, is let go.
func TestHTTP1Late(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"first": "", "head": fmt.Sprintf(get, "/ready/5") + "GET", "idle": fmt.Sprintf(get, "/ready/5"),
		"head behind another": fmt.Sprintf(get, "/other") + "GET", "idle behind another": fmt.Sprintf(get, "/other")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, func(s *stage) { s.times.Head, s.times.Idle = 300*time.Millisecond, 300*time.Millisecond })
			c := s.dial("http/1.1")
			_, _ = io.WriteString(c, text)
			begun := time.Now()
			if _, err := io.ReadAll(c); err != nil {
				t.Errorf("got %v, want an end", err)
			}
			if took := time.Since(begun); took < 200*time.Millisecond || took > 5*time.Second {
				t.Errorf("it ended after %v, want 300ms", took)
			}
		})
	}
}

// TestHTTP1Leaving: once the server leaves, each answer is the last.
func TestHTTP1Leaving(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.leaving.Store(true)
	got, r := speak(t, s, strings.Repeat(fmt.Sprintf(get, "/ready/5"), 2), "GET")
	if got[0] != "express last 200 xxxxx" {
		t.Errorf("got %q", got[0])
	}
	if b, err := io.ReadAll(r); err != nil || len(b) > 0 {
		t.Errorf("behind the last answer: %q, %v", b, err)
	}
}
