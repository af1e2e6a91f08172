package proxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/proxy/listen"
)

// TestHosts: the name in the request decides, whatever its spelling, and has to
// be one of ours.
func TestHosts(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "tls: {mode: internal, domains: [" + host + ", other.example.com]}"})
	for _, test := range []struct {
		request string
		want    int
	}{
		{"GET / HTTP/1.1\r\nHost: shop.example.com\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: SHOP.Example.COM\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: shop.example.com.\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: shop.example.com:8443\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: shop.example.com.:443\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: other.example.com\r\n", 421}, // the handshake said shop
		{"GET / HTTP/1.1\r\nHost: evil.example.com\r\n", 421},
		{"GET / HTTP/1.1\r\nHost: [::1]\r\n", 421},
		{"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", 421},
		{"GET / HTTP/1.1\r\nHost:\r\n", 400},
		{"GET / HTTP/1.0\r\n", 400},
		{"GET / HTTP/1.1\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: shop.example.com\r\nHost: other.example.com\r\n", 400},
		{"GET https://evil.example.com/ HTTP/1.1\r\nHost: shop.example.com\r\n", 400},
	} {
		resp, body := s.raw(test.request + "Connection: close\r\n\r\n")
		if resp.StatusCode != test.want {
			t.Errorf("%q: got %d %s, want %d", test.request, resp.StatusCode, body, test.want)
		}
	}
	conn, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	if resp, _ := readAnswer(t, conn, "GET"); resp.StatusCode != http.StatusOK {
		t.Errorf("through localhost: got %d, want 200", resp.StatusCode)
	}
}

// TestExpect: who asks before sending a body is refused without it.
func TestExpect(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n)
	}})
	for _, test := range []struct {
		name, head string
		want       int
	}{
		{"a large buy", "POST /toys/golden/buy HTTP/1.1\r\nContent-Length: 50000000\r\nExpect: 100-continue\r\n", 429},
		{"a small buy", "POST /toys/golden/buy HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n", 429},
		{"nonsense", "POST /toys/golden/buy HTTP/1.1\r\nContent-Length: 5\r\nExpect: nonsense\r\n", 417},
		{"passed on", "POST /cart HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n", 100},
	} {
		conn := s.rawConn()
		_, _ = io.WriteString(conn, test.head+"Host: "+host+"\r\n\r\n")
		line, err := bufio.NewReader(conn).ReadString('\n')
		if want := fmt.Sprintf("HTTP/1.1 %d ", test.want); err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%s: the first answer is %q, %v; want %d", test.name, line, err, test.want)
		}
		_ = conn.Close()
	}
	b := s.browser().called()
	b.buy("a="+strings.Repeat("x", 70_000)).want(t, "a large body", http.StatusRequestEntityTooLarge, "too_large")
	req, _ := http.NewRequest(http.MethodPost, "https://"+host+"/toys/golden/buy", io.LimitReader(zeros{}, 1<<20))
	req.ContentLength = -1
	r, err := b.send(req)
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "a large body of unsaid length", http.StatusRequestEntityTooLarge, "too_large")
	if s.left() != 10 {
		t.Errorf("%d units are left, want 10", s.left())
	}
}

// TestHeaderLimit: documented, and well below what would hurt.
func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	for name, head := range map[string]string{
		"one large field":     "X: " + strings.Repeat("x", 40<<10) + "\r\n",
		"a thousand and more": strings.Repeat("X-Field: some value of it\r\n", 2000),
	} {
		resp, _ := s.raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + head + "\r\n")
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s: got %d, want 431", name, resp.StatusCode)
		}
	}
	resp, _ := s.raw("GET /?" + strings.Repeat("x", 200<<10) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a long query: got %d, want 431", resp.StatusCode)
	}
}

// TestPlainHTTP: sent on to HTTPS; nothing else is done in the clear.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	_, port, _ := net.SplitHostPort(s.server.Addr().String())
	ask := func(request string) *http.Response {
		t.Helper()
		conn, err := net.Dial("tcp", s.server.HTTPAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, request)
		resp, _ := readAnswer(t, conn, request)
		return resp
	}
	r := ask("GET /a%2Fb//c?d=%20 HTTP/1.1\r\nHost: " + host + ":80\r\n\r\n")
	if want := "https://" + host + ":" + port + "/a%2Fb//c?d=%20"; r.StatusCode != http.StatusMovedPermanently || r.Header.Get("Location") != want {
		t.Errorf("got %d to %q, want 301 to %q", r.StatusCode, r.Header.Get("Location"), want)
	}
	if r := ask("POST /toys/golden/buy HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 5\r\n\r\nqty=1"); r.StatusCode != http.StatusForbidden {
		t.Errorf("a posted form: got %d, want 403", r.StatusCode)
	}
}

// TestPlainHTTPForStrangers: nobody is sent to a name that is not ours.
func TestPlainHTTPForStrangers(t *testing.T) {
	t.Parallel()
	for domains, want := range map[string]int{"[" + host + "]": http.StatusMisdirectedRequest, "['*.example.net']": http.StatusMovedPermanently} {
		s := play(t, plot{config: "tls: {mode: internal, domains: " + domains + "}"})
		conn, err := net.Dial("tcp", s.server.HTTPAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "GET /login HTTP/1.1\r\nHost: evil.example.net\r\n\r\n")
		if r, _ := readAnswer(t, conn, "GET"); r.StatusCode != want || (r.Header.Get("Location") == "") != (want == http.StatusMisdirectedRequest) {
			t.Errorf("domains %s: got %d to %q, want %d", domains, r.StatusCode, r.Header.Get("Location"), want)
		}
	}
}

// TestProtocols: HTTP/2 and HTTP/1.1, TLS 1.2 and no older.
func TestProtocols(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	if r := s.browser().get("/"); r.ProtoMajor != 2 {
		t.Errorf("got %s, want HTTP/2", r.Proto)
	}
	_, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: host, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	if err == nil {
		t.Error("TLS 1.1 is spoken")
	}
}

// TestDrain: readiness fails first, while all are still served; what is under
// way ends well.
func TestDrain(t *testing.T) {
	t.Parallel()
	finish := make(chan struct{})
	s := play(t, plot{linger: time.Second, shop: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-finish
		}
		_, _ = io.WriteString(w, "done")
	}})
	slow := make(chan string, 1)
	go func() {
		r, err := s.browser().send(request("/slow"))
		slow <- fmt.Sprint(r.body, err)
	}()
	s.until("the slow one at the origin", func() bool { return s.shop.asked("/slow") == 1 })
	stopped := make(chan struct{})
	go func() { defer close(stopped); s.stop() }()

	s.until("not ready", func() bool {
		return s.admin(http.MethodGet, "/readyz", "", "").StatusCode == http.StatusServiceUnavailable
	})
	s.browser().get("/cart").code(t, "new while draining", http.StatusOK)
	s.admin(http.MethodGet, "/healthz", "", "").code(t, "health while draining", http.StatusOK)
	s.until("the door is closed", func() bool {
		conn, err := s.dial(context.Background(), "tcp", "")
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(finish)
	if got := <-slow; got != "done<nil>" {
		t.Errorf("the slow one ended with %s, want done", got)
	}
	select {
	case <-stopped:
	case <-time.After(10 * time.Second):
		t.Error("the server did not end")
	}
}

// TestDrain_Succeeded: whom nobody asks for health any more tells its clients at
// once, also while somebody is slow at the admin address.
func TestDrain_Succeeded(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	asked, finish := make(chan struct{}), make(chan struct{})
	s.metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "slow"}, func() float64 {
		close(asked)
		<-finish
		return 1
	}))
	scraped := make(chan int, 1)
	go func() { scraped <- s.admin(http.MethodGet, "/metrics", "", "").StatusCode }()
	<-asked
	idle := s.rawConn()
	defer func() { _ = idle.Close() }()
	_ = idle.SetDeadline(time.Now().Add(15 * time.Second))
	stopped := make(chan struct{})
	go func() { defer close(stopped); s.stopFor(proxy.ErrSucceeded) }()
	if _, err := idle.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("an idle connection ended with %v, want its end", err)
	}
	close(finish)
	if got := <-scraped; got != http.StatusOK {
		t.Errorf("the slow one got %d, want 200", got)
	}
	<-stopped
}

func request(path string) *http.Request {
	r, _ := http.NewRequest(http.MethodGet, "https://"+host+path, nil)
	return r
}

// TestPortInUse is an error at the start that names the key.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	cfg := *s.cfg
	cfg.Listen.Admin = s.server.AdminAddr().String()
	_, err := listen.Open(proxy.Sockets(&cfg), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "listen.admin: ") {
		t.Errorf("got %v, want a fault of listen.admin", err)
	}
}
