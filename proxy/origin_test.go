package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestTarget: the origin's request line carries what the client sent.
func TestTarget(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	for _, target := range []string{
		"/item/a%2Fb//c%20d/%E4%B8%AD?x=%2F", "/", "/?", "/a?", "/a??b", "/a?b=c;d&&e", "/a?x=%zz", "//", "//a//b?c",
		"/a/../b/./c", "/a%2e%2e/b", "/a|b^c`d{e}", `/a"b<c>\d`, "/a;b=c/d", "/%00", "/a%", "/%", "/a+b",
		"/\xff\xfe", "/caf\xc3\xa9?\xc3\xa9", "/[a]:@!$&'()*+,=~", "/%41%5A%7E", "/a%0d%0aX: y",
	} {
		resp, body := s.raw("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
		if resp.StatusCode == http.StatusBadRequest { // not a target at all
			if !strings.Contains(target, "%") {
				t.Errorf("%q: refused with %s", target, body)
			}
			continue
		}
		if got := s.shop.last(t).RequestURI; got != target {
			t.Errorf("sent %q, the origin sees %q", target, got)
		}
	}
}

// TestSalePathsCannotBeDisguised: whatever an origin may take for the buy is
// the buy.
func TestSalePathsCannotBeDisguised(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	for _, target := range []string{
		"/toys/golden/buy", "/toys/golden/buy/", "/toys//golden///buy", "/toys/./golden/../golden/buy", "/x/../toys/golden/buy",
		"/toys/golden/%62uy", "/toys%2Fgolden%2Fbuy", "/toys/golden%252Fbuy", "/toys/golden/x/%2e%2e/buy", "/toys/golden/b%75y;jsessionid=1",
		`/toys\golden\buy`, "/toys/golden/buy%00.css", "/toys/golden/buy;x/", "/toys;a=b/golden/buy", "/toys/golden/buy%2F", "/toys/golden/buy/.",
		"/toys/golden/buy%23x", "/toys/golden/buy%3Fx", "//toys/golden/buy", "/%2e/toys/golden/buy", "/toys/golden/buy?a=b",
		"https://" + host + "/toys/golden/buy", "/%74oys/golden/buy?qty=1",
		"/toys/golden/BUY", "/Toys/GOLDEN/buy", "/toys/golden/buy%20", "/toys/golden/buy.", "/toys./golden%20/buy.%20.", "/toys/golden/buy%0a", "/TOYS/golden/%42UY.",
	} {
		for _, method := range []string{"POST", "post", "PoSt", "PUT", "patch"} {
			resp, body := s.raw(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			if resp.StatusCode != http.StatusTooManyRequests {
				t.Errorf("%s %q: got %d %s, want 429", method, target, resp.StatusCode, body)
			}
		}
	}
	// These lead origins to another path than the request's.
	b := s.browser()
	b.do(http.MethodPost, "/cart", "", "X-Original-URL", "/toys/golden/buy", "X-Rewrite-URL", "/toys/golden/buy", "X_Original_URL", "/toys/golden/buy")
	for name := range s.shop.last(t).Header {
		if strings.Contains(strings.ToLower(name), "url") {
			t.Errorf("the origin sees %s", name)
		}
	}
	if n := s.shop.asked("/cart"); n != 1 || len(s.shop.seen) != n+s.shop.asked("/toys/golden") {
		t.Errorf("the origin saw %d requests for the cart and %d in all", n, len(s.shop.seen))
	}
}

// TestMethodOverride: nothing on the path of the buy can turn into the buy at
// the origin; other paths keep what they have.
func TestMethodOverride(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "buy: PUT /toys/golden/buy"})
	b := s.browser()
	fields := []string{"X-HTTP-Method-Override", "PUT", "X-Http-Method", "PUT", "X-Method-Override", "PUT", "X_HTTP_Method_Override", "PUT"}
	b.do(http.MethodPost, "/toys/golden/buy", "", fields...).code(t, "posted", http.StatusTooManyRequests)
	for _, query := range []string{"_method=PUT", "a=b;_method=PUT", "%5fmethod=put", "_METHOD=PUT", ".method=PUT", "%zz&_method=PUT", "_method[]=PUT"} {
		for _, method := range []string{http.MethodGet, http.MethodDelete, "BREW"} {
			b.do(method, "/Toys/golden/BUY?"+query, "").want(t, method+" "+query, http.StatusBadRequest, "bad_request")
		}
	}
	if n := s.shop.asked("/toys/golden/buy") + s.shop.asked("/Toys/golden/BUY"); n != 0 {
		t.Errorf("the origin saw %d of them, want none", n)
	}
	overrides := func() (found []string) {
		for name := range s.shop.last(t).Header {
			if strings.Contains(strings.ToLower(name), "method") {
				found = append(found, name)
			}
		}
		return found
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodOptions} {
		b.do(method, "/toys/golden/buy?method=express", "", fields...).code(t, method, http.StatusOK)
		if got := overrides(); len(got) > 0 {
			t.Errorf("%s: the origin sees %q", method, got)
		}
	}
	b.do(http.MethodPost, "/cart?_method=PUT", "", fields...).code(t, "elsewhere", http.StatusOK)
	if got := overrides(); len(got) != len(fields)/2 {
		t.Errorf("elsewhere the origin sees %q, want all that was sent", got)
	}
}

// TestTargetOfEverything: what can be asked of a server as a whole is asked of the
// shop's, and of nobody by another method.
func TestTargetOfEverything(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 9)
	s := play(t, plot{config: exchanger(t, func(conn net.Conn, _ *bufio.Reader, head *http.Request) {
		if head.Method == http.MethodOptions {
			seen <- head.RequestURI
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
	})})
	s.raw("OPTIONS * HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
	if got := <-seen; got != "*" {
		t.Errorf("the origin sees %q, want *", got)
	}
	if resp, _ := s.raw("GET * HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("GET *: got %d, want 400", resp.StatusCode)
	}
}

// TestForwardedByStrangers: nothing that a client says about itself arrives.
func TestForwardedByStrangers(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	sent := []string{"X-Forwarded-For", "X_Forwarded_For", "X-Forwarded_For", "x-real-ip", "X_Real_IP", "Forwarded", "True-Client-IP",
		"X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "CF-Connecting-IP", "X-Client-IP", "Client-IP"}
	request := "GET /cart HTTP/1.1\r\nHost: " + host + "\r\nConnection: close, X-Kept, Waitroom-Sale\r\nX-Kept: 1\r\nX-Other: 2\r\nKeep-Alive: 5\r\nTE: gzip\r\n"
	for _, name := range sent {
		request += name + ": 203.0.113.9\r\n"
	}
	s.raw(request + "\r\n")
	seen := s.shop.last(t).Header
	for name, values := range seen {
		if strings.Contains(strings.Join(values, ","), "203.0.113.9") {
			t.Errorf("the origin sees %s: %q", name, values)
		}
	}
	for name, want := range map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": host,
		"Forwarded": `for=127.0.0.1;host="` + host + `";proto=https`, "X-Kept": "", "Keep-Alive": "", "Te": "", "X-Other": "2",
	} {
		if got := seen.Get(name); got != want {
			t.Errorf("the origin sees %s %q, want %q", name, got, want)
		}
	}
	if got := s.shop.last(t).Host; got != host {
		t.Errorf("the origin sees the host %q, want %q", got, host)
	}
}

// TestForwardedByTrusted: the word of a trusted proxy stays and is added to.
func TestForwardedByTrusted(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "trusted_proxies: [127.0.0.0/8]"})
	s.browser().get("/cart", "X-Forwarded-For", "2001:db8::1, 198.51.100.7", "X-Forwarded-Proto", "http", "X-Forwarded-Host", "other.example.com",
		"Forwarded", `for="[2001:db8::1]"`, "X-Real-IP", "198.51.100.7", "X_Real_IP", "203.0.113.9")
	seen := s.shop.last(t).Header
	for name, want := range map[string]string{
		"X-Forwarded-For": "2001:db8::1, 198.51.100.7, 127.0.0.1", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "other.example.com",
		"Forwarded": `for="[2001:db8::1]", for=127.0.0.1;host="` + host + `";proto=https`, "X-Real-Ip": "198.51.100.7", "X_real_ip": "",
	} {
		if got := seen.Get(name); got != want {
			t.Errorf("the origin sees %s %q, want %q", name, got, want)
		}
	}
}

// TestTrailersAreNotPassed: a field in the trailer is no way around.
func TestTrailersAreNotPassed(t *testing.T) {
	t.Parallel()
	got := make(chan http.Header, 1)
	s := play(t, plot{shop: func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got <- r.Trailer
	}})
	s.raw("POST /cart HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Forwarded-For\r\n\r\n" +
		"1\r\na\r\n0\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n")
	if trailer := <-got; len(trailer) > 0 {
		t.Errorf("the origin sees the trailer %v", trailer)
	}
}

// TestStream: what an origin flushes is there at once.
func TestStream(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		for range 3 {
			_, _ = io.WriteString(w, "data: x\n\n")
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	}})
	for _, kind := range []string{"text/event-stream", "application/json"} {
		resp, err := s.browser().Get("https://" + host + "/stream?type=" + kind)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		for range 3 {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			_, _ = lines.ReadString('\n')
			next <- true // not before a piece is here does the origin write another
		}
		_ = resp.Body.Close()
	}
}

// TestWebSocket: an upgraded connection goes through both ways, and is one
// record with its status.
func TestWebSocket(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", r.Header.Get("Upgrade"))
		_ = rw.Flush()
		_, _ = io.Copy(conn, rw)
	}})
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /chat HTTP/1.1\r\nHost: "+host+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade: %v, %v", resp, err)
	}
	for _, word := range []string{"hello", "again"} {
		_, _ = io.WriteString(conn, word)
		echo := make([]byte, len(word))
		if _, err := io.ReadFull(in, echo); err != nil || string(echo) != word {
			t.Fatalf("echo of %q: %q, %v", word, echo, err)
		}
	}
	_ = conn.Close()
	s.until("the record", func() bool { return len(s.log.lines(t, "request")) == 1 })
	if got := s.log.lines(t, "request")[0]["status"]; got != 101.0 {
		t.Errorf("the record says %v, want 101", got)
	}
}

// TestAborts: clients that leave in the middle are nobody's fault, and leave
// nothing behind.
func TestAborts(t *testing.T) { // alone, for it measures the process
	var under sync.WaitGroup
	s := play(t, plot{atOnce: 64, shop: func(w http.ResponseWriter, r *http.Request) {
		under.Add(1)
		defer under.Done()
		if r.URL.Path == "/slow" {
			<-r.Context().Done()
			return
		}
		piece := make([]byte, 64<<10)
		for range 80 {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}})
	s.browser().get("/warm")
	base := runtime.NumGoroutine()
	for i := range 40 {
		conn := s.rawConn()
		path := "/big"
		if i%2 == 0 {
			path = "/slow"
		}
		_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		if path == "/big" {
			_, _ = io.ReadFull(conn, make([]byte, 10<<10))
		} else {
			s.until("request at the origin", func() bool { return s.shop.asked("/slow") > i/2 })
		}
		_ = conn.Close()
	}
	s.until("41 records", func() bool { return len(s.log.lines(t, "request")) == 41 })
	under.Wait()
	decisions := map[any]int{}
	for _, line := range s.log.lines(t, "request") {
		decisions[line["decision"]]++
		if status := line["status"].(float64); status >= 500 {
			t.Errorf("a record says %v", line)
		}
	}
	if decisions["client_gone"] != 20 || decisions["aborted"] != 20 || decisions["origin"] != 1 {
		t.Errorf("decisions are %v, want 20 client_gone, 20 aborted, 1 origin", decisions)
	}
	if text := s.log.text(); strings.Contains(text, "panic") || strings.Contains(text, "stack") {
		t.Error("the log speaks of a panic")
	}
	s.until("goroutines back", func() bool { return runtime.NumGoroutine() <= base+5 })
}

// TestUpload: a large body streams through; it is in memory nowhere.
func TestUpload(t *testing.T) { // alone, for it measures the process
	const size = 50 << 20
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n)
	}})
	for _, known := range []bool{true, false} {
		before, half := heap(), int64(0)
		look := func() { half = heap() }
		body := io.MultiReader(io.LimitReader(zeros{}, size/2), &once{do: look}, io.LimitReader(zeros{}, size/2))
		req, _ := http.NewRequest(http.MethodPut, "https://"+host+"/files", body)
		req.ContentLength = -1
		if known {
			req.ContentLength = size
		}
		r, err := s.browser().send(req)
		if err != nil || r.body != fmt.Sprint(size) {
			t.Errorf("length known: %t: the origin read %q, %v; want %d", known, r.body, err, size)
		}
		if grown := half - before; grown > 10<<20 {
			t.Errorf("length known: %t: of the first %d MB %d are kept", known, size>>21, grown>>20)
		}
	}
}

// once does something when it is read, and has nothing to read.
type once struct{ do func() }

func (o *once) Read([]byte) (int, error) {
	o.do()
	return 0, io.EOF
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestOriginAway: a clear answer, in both forms, and a record that says why.
func TestOriginAway(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	s.shop.Close()
	s.browser().get("/cart").want(t, "script", http.StatusBadGateway, "origin_away").head(t, "script", "Cache-Control", "no-store")
	s.person().get("/cart").code(t, "person", http.StatusBadGateway).head(t, "person", "Content-Type", "text/html; charset=utf-8")
	for _, line := range s.log.lines(t, "request") {
		if line["error"] == nil || line["decision"] != "origin_away" {
			t.Errorf("the record says %v", line)
		}
	}
}

// TestBadUpload: a body that is no body is the client's fault, not the origin's.
func TestBadUpload(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }})
	resp, body := s.raw("POST /cart HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n")
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"status":"bad_request"`) {
		t.Errorf("a bad chunk: got %d %s, want 400 bad_request", resp.StatusCode, body)
	}
	conn := s.rawConn()
	_, _ = io.WriteString(conn, "POST /half HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 40000\r\n\r\n"+strings.Repeat("x", 20000))
	s.until("half a body at the origin", func() bool { return s.shop.asked("/half") == 1 })
	_ = conn.Close()
	s.until("two records", func() bool { return len(s.log.lines(t, "request")) == 2 })
	conn = s.rawConn()
	_, _ = io.WriteString(conn, "POST /small HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 9\r\n\r\nabc") // is read first
	_ = conn.Close()
	s.until("all records", func() bool { return len(s.log.lines(t, "request")) == 3 })
	if n := s.shop.asked("/small"); n != 0 {
		t.Errorf("half of a small body reached the origin %d times", n)
	}
	for i, want := range []string{"bad_request", "client_gone", "client_gone"} {
		if got := s.log.lines(t, "request")[i]; got["decision"] != want {
			t.Errorf("the record says %v, want %s", got, want)
		}
	}
}

// TestInterim: answers of the 1xx kind go on without what is meant for one hop.
func TestInterim(t *testing.T) {
	t.Parallel()
	shop := rawShop(t, func(conn net.Conn, _ string) {
		for range 30 {
			_, _ = io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nConnection: X-Nominated\r\nX-Nominated: 1\r\nKeep-Alive: timeout=5\r\nWaitroom-Command: release\r\n\r\n")
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Final: 1\r\n\r\nok")
	})
	s := play(t, plot{config: `origin: {url: "http://` + shop + `"}`})
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /cart HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	in := textproto.NewReader(bufio.NewReader(conn))
	hints := 0
	for {
		line, err := in.ReadLine()
		if err != nil {
			t.Fatal(err)
		}
		h, err := in.ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(line, "103") {
			if line != "HTTP/1.1 200 OK" || h.Get("X-Final") != "1" || h.Get("Link") != "" {
				t.Errorf("the answer is %q %v", line, h)
			}
			break
		}
		hints++
		var names []string
		for name := range h {
			names = append(names, name)
		}
		if !slices.Equal(names, []string{"Link"}) {
			t.Errorf("the interim answer carries %v, want Link alone", h)
		}
	}
	if hints == 0 || hints > 20 {
		t.Errorf("%d interim answers came through, want some, 20 at most", hints)
	}
	resp, body := s.raw("GET /cart HTTP/1.0\r\nHost: " + host + "\r\n\r\n")
	if resp.StatusCode != http.StatusOK || body != "ok" {
		t.Errorf("HTTP/1.0 gets %d %q first, want 200 ok", resp.StatusCode, body)
	}
}

// rawShop is an origin that writes its answers byte for byte. It gives its
// address.
func rawShop(t *testing.T, answer func(conn net.Conn, request string)) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = conn.Close() }()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					answer(conn, r.RequestURI)
				}
			})
		}
	})
	return l.Addr().String()
}
