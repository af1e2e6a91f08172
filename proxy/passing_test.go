package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// exchanger is an origin that is told what to do with a connection, byte by byte.
func exchanger(t *testing.T, play func(conn net.Conn, in *bufio.Reader, head *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				in := bufio.NewReader(conn)
				for {
					head, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					play(conn, in, head)
				}
			}()
		}
	}()
	return `origin: {url: "http://` + l.Addr().String() + `"}`
}

// expecting sends a head that waits to be asked for its body and gives the codes of
// all answers to it.
func (s *stage) expecting(length int, body string) (codes []string, last *http.Response) {
	s.t.Helper()
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	head := fmt.Sprintf("POST /files HTTP/1.1\r\nHost: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", host, length)
	if _, err := io.WriteString(conn, head); err != nil {
		s.t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		codes = append(codes, fmt.Sprint(resp.StatusCode))
		switch {
		case resp.StatusCode == http.StatusContinue:
			_, _ = io.WriteString(conn, body)
		case resp.StatusCode >= 200:
			_, _ = io.Copy(io.Discard, resp.Body)
			return codes, resp
		}
	}
}

// TestWhoAsksForABody: a body is asked for when the origin wants it, and not when it has
// answered.
func TestWhoAsksForABody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		play func(conn net.Conn, in *bufio.Reader, head *http.Request)
		want string
	}{
		"the origin asks": {func(conn net.Conn, _ *bufio.Reader, head *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
			n, _ := io.Copy(io.Discard, head.Body)
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Read: %d\r\n\r\n", n)
		}, "100 200"},
		"the origin says nothing": {func(conn net.Conn, _ *bufio.Reader, head *http.Request) {
			n, _ := io.Copy(io.Discard, head.Body)
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Read: %d\r\n\r\n", n)
		}, "100 200"},
		"the origin hints, and asks": {func(conn net.Conn, _ *bufio.Reader, head *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
			n, _ := io.Copy(io.Discard, head.Body)
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Read: %d\r\n\r\n", n)
		}, "102 100 200"},
		"the origin refuses": {func(conn net.Conn, _ *bufio.Reader, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
		}, "401"},
		"the origin refuses and closes": {func(conn net.Conn, _ *bufio.Reader, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
			_ = conn.Close()
		}, "413"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{config: exchanger(t, test.play)})
			codes, last := s.expecting(5, "hello")
			if got := strings.Join(codes, " "); got != test.want {
				t.Errorf("the shopper got %s, want %s", got, test.want)
			}
			if last.StatusCode == http.StatusOK && last.Header.Get("X-Read") != "5" || last.StatusCode != http.StatusOK && !last.Close {
				t.Errorf("it ends with %v, closed: %t", last.Header, last.Close)
			}
		})
	}
}

// TestExpectOverHTTP2: one 100, and the body after it.
func TestExpectOverHTTP2(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: exchanger(t, func(conn net.Conn, _ *bufio.Reader, head *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
		n, _ := io.Copy(io.Discard, head.Body)
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Read: %d\r\n\r\n", n)
	})})
	var asked atomic.Int32
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error { asked.Add(1); return nil },
	})
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+host+"/files", strings.NewReader("hello"))
	req.Header.Set("Expect", "100-continue")
	b := s.browser()
	b.Transport.(*http.Transport).ExpectContinueTimeout = 20 * time.Second
	r, err := b.send(req)
	if err != nil || r.Header.Get("X-Read") != "5" || asked.Load() != 1 {
		t.Errorf("got %v, %v, asked %d times; want all of the body after one", r.Response, err, asked.Load())
	}
}

// TestTooLarge: a body beyond the bound is refused in words that who sends it can
// read, whether it says its length or not, and the origin is not left waiting.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 9)
	s := play(t, plot{config: "limits: {body: 1MiB}", shop: func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		ended <- err
	}})
	if codes, last := s.expecting(50_000_000, ""); strings.Join(codes, " ") != "413" || !last.Close {
		t.Errorf("a body that waits to be asked for: got %v, want 413 alone", codes)
	}
	if n := s.shop.asked("/files"); n != 0 {
		t.Errorf("the origin was asked %d times", n)
	}
	for _, proto := range []int{1, 2} {
		for _, size := range []int{2 << 20, 1<<20 + 1} {
			b := s.browser()
			if proto == 1 {
				b.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{"http/1.1"}
				b.Transport.(*http.Transport).ForceAttemptHTTP2 = false
			}
			req, _ := http.NewRequest(http.MethodPost, "https://"+host+"/files", io.LimitReader(zeros{}, int64(size)))
			r, err := b.send(req)
			if err != nil || r.StatusCode != http.StatusRequestEntityTooLarge || r.ProtoMajor != proto {
				t.Errorf("HTTP/%d, %d bytes in chunks: got %v, %v; want 413", proto, size, r.Response, err)
			}
			if err := <-ended; err == nil {
				t.Errorf("HTTP/%d: the origin takes a part for the whole", proto)
			}
		}
	}
	// One that sends all before it reads finds the answer, too.
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "POST /files HTTP/1.1\r\nHost: "+host+"\r\nTransfer-Encoding: chunked\r\n\r\n")
	chunk := "10000\r\n" + strings.Repeat("a", 1<<16) + "\r\n"
	for range 100 {
		if _, err := io.WriteString(conn, chunk); err != nil {
			t.Fatalf("it cannot be sent: %v", err)
		}
	}
	_, _ = io.WriteString(conn, "0\r\n\r\n")
	if resp, _ := readAnswer(t, conn, "POST"); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d, want 413", resp.StatusCode)
	}
	// And one that fits is a bound kept.
	req, _ := http.NewRequest(http.MethodPost, "https://"+host+"/files", io.LimitReader(zeros{}, 1<<20))
	if r, err := s.browser().send(req); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("at the bound: got %v, %v", r.Response, err)
	}
}

// TestBothWays: request and answer move at once, over either protocol.
func TestBothWays(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex()
		_ = control.Flush()
		lines := bufio.NewReader(r.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			_, _ = io.WriteString(w, line)
			_ = control.Flush()
		}
	}})
	for _, protocols := range [][]string{{"h2"}, {"http/1.1"}} {
		b := s.browser()
		transport := b.Transport.(*http.Transport)
		transport.ForceAttemptHTTP2 = protocols[0] == "h2"
		transport.TLSClientConfig.NextProtos = protocols
		body, write := io.Pipe()
		req, _ := http.NewRequest(http.MethodPost, "https://"+host+"/talk", body)
		resp, err := b.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(resp.Body)
		for i := range 5 {
			word := fmt.Sprintf("word %d\n", i)
			begun := time.Now()
			_, _ = io.WriteString(write, word)
			if got, err := in.ReadString('\n'); err != nil || got != word {
				t.Fatalf("%v: got %q, %v", protocols, got, err)
			}
			if took := time.Since(begun); took > time.Second {
				t.Errorf("%v: a word took %v", protocols, took)
			}
		}
		_ = write.Close()
		if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
			t.Errorf("%v: at its end %q, %v", protocols, rest, err)
		}
		_ = resp.Body.Close()
	}
}

// TestTrailers: those of answers go on, announced or not.
func TestTrailers(t *testing.T) {
	t.Parallel()
	prior := &http.Server{Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/announced" {
			w.Header().Set("Trailer", "Grpc-Status")
		}
		w.Header().Set("X-Te", r.Header.Get("Te"))
		_, _ = io.WriteString(w, "body")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/announced" {
			w.Header().Set("Grpc-Status", "0")
		} else {
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		}
	})}
	prior.Protocols.SetUnencryptedHTTP2(true)
	prior.Protocols.SetHTTP1(true)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = prior.Serve(l) }()
	t.Cleanup(func() { _ = prior.Close() })
	for _, scheme := range []string{"h2c", "http"} {
		s := play(t, plot{config: `origin: {url: "` + scheme + `://` + l.Addr().String() + `"}`})
		for _, path := range []string{"/announced", "/unannounced"} {
			r := s.browser().get(path, "Te", "trailers")
			if r.body != "body" || r.Trailer.Get("Grpc-Status") != "0" || r.Header.Get("X-Te") != "trailers" {
				t.Errorf("%s %s: got %q, trailer %v, TE %q", scheme, path, r.body, r.Trailer, r.Header.Get("X-Te"))
			}
		}
	}
}

// TestConnectionFields: what Connection names goes, but for what we say ourselves
// and for what says how long the message is.
func TestConnectionFields(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	s.raw("POST /cart HTTP/1.1\r\nHost: " + host + "\r\nConnection: close, X-Forwarded-For, Host, Content-Length, Waitroom-Token, X-Mine\r\n" +
		"X-Mine: 1\r\nWaitroom-Token: 2\r\nContent-Length: 5\r\nCookie: a=b\r\n\r\nqty=1")
	seen := s.shop.last(t)
	if seen.Host != host || seen.ContentLength != 5 || seen.Header.Get("X-Forwarded-For") != "127.0.0.1" ||
		seen.Header.Get("X-Mine") != "" || seen.Header.Get("Waitroom-Token") != "" || seen.Header.Get("Cookie") != "a=b" {
		t.Errorf("the origin sees %v, host %q, length %d", seen.Header, seen.Host, seen.ContentLength)
	}
}

// TestOriginsFieldsAreItsOwn: cookies, dates and addresses of the origin arrive
// byte for byte.
func TestOriginsFieldsAreItsOwn(t *testing.T) {
	t.Parallel()
	fields := "Server: shop/1\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nLocation: http://10.0.0.5:8080//a|b?c#d\r\nX-Eight: \xe4\xff\r\n" +
		"Set-Cookie: a=\"b c\"; Path=/; Secure\r\nSet-Cookie: =x\r\nSet-Cookie: \xe4=\xff; Domain=.example.com;;\r\nSet-Cookie: a=second\r\n"
	s := play(t, plot{config: exchanger(t, func(conn net.Conn, _ *bufio.Reader, _ *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 302 Over There\r\nConnection: X-Hop, Keep-Alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n"+fields+"\r\n")
	})})
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /cart HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	all, _ := io.ReadAll(conn)
	for line := range strings.SplitSeq(strings.TrimSuffix(fields, "\r\n"), "\r\n") {
		if bytes.Count(all, []byte(line+"\r\n")) != 1 {
			t.Errorf("%q is not in %q", line, all)
		}
	}
	if bytes.Contains(all, []byte("X-Hop")) || bytes.Contains(all, []byte("Keep-Alive")) {
		t.Errorf("fields for one hop are in %q", all)
	}
}

// TestShortAnswer: an answer that ends too soon is cut, not made whole.
func TestShortAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n",
	} {
		s := play(t, plot{config: exchanger(t, func(conn net.Conn, _ *bufio.Reader, _ *http.Request) {
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		})})
		for _, h2 := range []bool{true, false} {
			b := s.browser()
			if !h2 {
				b.Transport.(*http.Transport).ForceAttemptHTTP2 = false
				b.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{"http/1.1"}
			}
			if r, err := b.send(request("/cart")); err == nil {
				t.Errorf("HTTP/2 %t: %q passes for whole: %q", h2, answer, r.body)
			}
		}
	}
}

// TestNoBody: what has none has none, and the length that it would have.
func TestNoBody(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(http.StatusNoContent)
		case "/304":
			w.Header().Set("Etag", `"x"`)
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("Accept-Ranges", "bytes")
			http.ServeContent(w, r, "a.txt", time.Time{}, strings.NewReader("0123456789"))
		}
	}})
	b := s.browser()
	b.do(http.MethodHead, "/file", "").code(t, "HEAD", http.StatusOK).head(t, "HEAD", "Content-Length", "10")
	b.get("/204").code(t, "204", http.StatusNoContent)
	b.get("/304").code(t, "304", http.StatusNotModified).head(t, "304", "Etag", `"x"`)
	if r := b.get("/file", "Range", "bytes=2-4").code(t, "Range", http.StatusPartialContent); r.body != "234" || r.Header.Get("Content-Range") != "bytes 2-4/10" {
		t.Errorf("a part is %q, %q", r.body, r.Header.Get("Content-Range"))
	}
	if r := b.get("/file", "Range", "bytes=50-").code(t, "beyond", http.StatusRequestedRangeNotSatisfiable); r.Header.Get("Content-Range") != "bytes */10" {
		t.Errorf("beyond the end: %v", r.Header)
	}
}

// TestLeavingInMidUpload: a shopper who leaves while a body is sent, by either
// protocol, ends the origin's work within a moment and is no error.
func TestLeavingInMidUpload(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan bool, 1), make(chan error, 1)
	s := play(t, plot{shop: func(_ http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1))
		arrived <- true
		_, err := io.Copy(io.Discard, r.Body)
		ended <- err
	}})
	for _, h2 := range []bool{true, false} {
		b := s.browser()
		if !h2 {
			b.Transport.(*http.Transport).ForceAttemptHTTP2 = false
			b.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{"http/1.1"}
		}
		body, write := io.Pipe()
		ctx, leave := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, http.MethodPut, "https://"+host+"/files", body)
		gone := make(chan error, 1)
		go func() { _, err := b.send(req); gone <- err }()
		_, _ = io.WriteString(write, "some of it")
		<-arrived
		leave()
		_ = write.CloseWithError(context.Canceled)
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the origin takes a part for the whole")
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("HTTP/2 %t: the origin works on", h2)
		}
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the shopper got %v", err)
		}
	}
	s.until("two records", func() bool { return len(s.log.lines(t, "request")) == 2 })
	for _, line := range s.log.lines(t, "request") {
		if line["decision"] != "client_gone" || line["error"] != nil {
			t.Errorf("the record says %v", line)
		}
	}
}

// TestSeveralOrigins: they take turns, a reload that leaves them alone keeps their
// connections, and one that changes them does not.
func TestSeveralOrigins(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	conns, closed := 0, 0
	open := func(name string) *httptest.Server {
		shop := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }))
		shop.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			mu.Lock()
			defer mu.Unlock()
			switch state {
			case http.StateNew:
				conns++
			case http.StateClosed:
				closed++
			}
		}
		shop.Start()
		t.Cleanup(shop.Close)
		return shop
	}
	one, two := open("one"), open("two")
	s := play(t, plot{config: `origin: {url: ["` + one.URL + `", "` + two.URL + `"]}`})
	b := s.browser()
	names := map[string]int{}
	for range 10 {
		names[b.get("/cart").body]++
	}
	if names["one"] != 5 || names["two"] != 5 {
		t.Errorf("they answered %v, want 5 each", names)
	}
	again := *s.cfg
	if err := s.edge.Apply(&again); err != nil {
		t.Fatal(err)
	}
	b.get("/cart")
	mu.Lock()
	if conns != 2 {
		t.Errorf("%d connections were opened, want 2", conns)
	}
	mu.Unlock()
	other := again
	other.Origin.URLs = again.Origin.URLs[:1]
	if err := s.edge.Apply(&other); err != nil {
		t.Fatal(err)
	}
	s.until("closed connections", func() bool { mu.Lock(); defer mu.Unlock(); return closed == 2 })
	one.Close()
	b.get("/cart").want(t, "with none left", http.StatusBadGateway, "origin_away")
}

// TestIdleOrigin: an origin that closes idle connections after 5 s meets POSTs that
// come just then. None is lost and none is made twice.
func TestIdleOrigin(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	shop := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
		}
	}))
	shop.Config.IdleTimeout = 5 * time.Second
	shop.Start()
	t.Cleanup(shop.Close)
	s := play(t, plot{config: `origin: {url: "` + shop.URL + `"}`})
	var crowd sync.WaitGroup
	for i := range 40 {
		crowd.Go(func() {
			b := s.browser()
			b.do(http.MethodPost, "/cart", "a=b").code(t, "first", http.StatusOK)
			time.Sleep(4900*time.Millisecond + time.Duration(i)*5*time.Millisecond)
			b.do(http.MethodPost, "/cart", "a=b").code(t, "second", http.StatusOK)
		})
	}
	crowd.Wait()
	if n := posts.Load(); n != 80 {
		t.Errorf("the origin saw %d POSTs, want 80", n)
	}
}

// TestKeptOriginDies: what cannot be sent twice is an error whose record names the
// cause.
func TestKeptOriginDies(t *testing.T) {
	t.Parallel()
	var seen atomic.Int32
	s := play(t, plot{config: exchanger(t, func(conn net.Conn, _ *bufio.Reader, head *http.Request) {
		_, _ = io.Copy(io.Discard, head.Body)
		if head.Method == http.MethodPost && seen.Add(1) > 0 {
			_ = conn.Close()
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})})
	b := s.browser()
	b.get("/cart").code(t, "GET", http.StatusOK)
	b.do(http.MethodPost, "/cart", "a=b").want(t, "POST", http.StatusBadGateway, "origin_away")
	if n := seen.Load(); n != 1 {
		t.Errorf("the origin saw the POST %d times", n)
	}
	lines := s.log.lines(t, "request")
	if text := fmt.Sprint(lines[len(lines)-1]["error"]); !strings.Contains(text, "kept connection") {
		t.Errorf("the record says %q", text)
	}
}

// TestNoExtendedConnect: WebSockets over HTTP/2 (RFC 8441) are not offered, so that
// browsers use HTTP/1.1 for them.
func TestNoExtendedConnect(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	conn, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: host, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = io.WriteString(conn, http2.ClientPreface)
	f := http2.NewFramer(conn, conn)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		settings, ok := frame.(*http2.SettingsFrame)
		if !ok || settings.IsAck() {
			continue
		}
		if v, ok := settings.Value(http2.SettingEnableConnectProtocol); ok && v != 0 {
			t.Error("extended CONNECT is offered")
		}
		return
	}
}
