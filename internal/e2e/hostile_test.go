package e2e_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// raw is a connection for whatever bytes a client may send.
func (f *front) raw(t *testing.T, serverName string) (*tls.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := tls.Dial("tcp", f.address, &tls.Config{RootCAs: f.roots, ServerName: serverName, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

// TestHostileText: what a client writes cannot forge a line of the log, break a
// terminal that shows it, or make the metrics grow.
func TestHostileText(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	ask := func(request string) {
		t.Helper()
		conn, in := f.raw(t, shopName)
		defer func() { _ = conn.Close() }()
		if _, err := io.WriteString(conn, request+"Connection: close\r\n\r\n"); err != nil {
			return // it was refused while it was written
		}
		if res, err := http.ReadResponse(in, nil); err == nil {
			_ = res.Body.Close()
		}
	}
	const host = "Host: " + shopName + "\r\n"
	for _, request := range []string{
		"GET /%0a{\"level\":\"error\",\"msg\":\"forged\"} HTTP/1.1\r\n" + host,
		"GET /%0a%7B%22level%22:%22error%22,%22msg%22:%22forged%22%7D HTTP/1.1\r\n" + host,
		"GET /%1b%5B31m%1b]0;title%07 HTTP/1.1\r\n" + host,
		"GET /\x1b[31m\u2028\u202e HTTP/1.1\r\n" + host,
		"GET /\xff\xfe\xc0\x80 HTTP/1.1\r\n" + host,
		"GET /a HTTP/1.1\r\nUser-Agent: \xff\"}\x1b[2J\r\nReferer: \"\\\r\n" + host,
		"GET /" + strings.Repeat("%0a", 3000) + " HTTP/1.1\r\n" + host,
		"GET /" + strings.Repeat("\xf0\x9f\xa6\x86", 2000) + " HTTP/1.1\r\n" + host, // cut in the middle of one
		"GET /" + strings.Repeat("a", 60<<10) + " HTTP/1.1\r\n" + host,
		"BREW\x1b /a HTTP/1.1\r\n" + host, "{\"level\":\"error\"} /a HTTP/1.1\r\n" + host,
		"GET /a HTTP/1.1\r\nHost: \"},{\"level\":\"error\r\n", "GET /a HTTP/1.1\r\nHost: \xff\x1b[31m\r\n", "GET /a HTTP/1.1\n\rHost: x\r\n",
	} {
		ask(request)
	}

	// One of each kind that follows, so that its series are there.
	manyNames := func(from, to int) {
		for from < to {
			conn, in := f.raw(t, shopName)
			for ; from < to; from++ {
				pair := fmt.Sprintf("BREW%[1]d /%[1]d HTTP/1.1\r\nHost: %[2]s\r\n\r\n"+
					"GET /%[1]d?a=%[1]d HTTP/1.1\r\nHost: %[1]d.test\r\nUser-Agent: agent-%[1]d\r\n\r\n", from, shopName)
				if _, err := io.WriteString(conn, pair); err != nil || !answered(in, 2) {
					from++
					break // and on with another connection
				}
			}
			_ = conn.Close()
		}
	}
	names := 1000
	if whole() {
		names = 50_000 // two requests each
	}
	manyNames(0, 20)
	series, before := strings.Count(f.metrics(), "\n"), f.memory(t)
	manyNames(20, names)
	if after := strings.Count(f.metrics(), "\n"); after > series+2 { // a counter of the collector's may begin
		t.Errorf("%d lines of metrics became %d", series, after)
	}
	if grown := f.memory(t) - before; grown > mostGrowth {
		t.Errorf("the edge grew by %d MiB", grown>>20)
	}

	log := f.Log()
	if !utf8.ValidString(log) || strings.ContainsAny(log, "\x1b\u2028\u202e\x07") {
		t.Error("the log has bytes that a terminal or a reader takes for its own")
	}
	for _, record := range f.records() {
		if path, _ := record["path"].(string); len(path) > 200 {
			t.Errorf("a path of %d bytes is logged", len(path))
		}
		if method := record["method"]; strings.HasPrefix(fmt.Sprint(method), "BREW") {
			t.Errorf("the method %v is logged", method)
		}
	}
	if strings.Contains(log, `"msg":"forged"`) {
		t.Error("a line is forged")
	}
}

// answered reads so many answers.
func answered(in *bufio.Reader, n int) bool {
	for range n {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return false
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.Close {
			return false
		}
	}
	return true
}
