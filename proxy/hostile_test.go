package proxy_test

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestHostile_Records: whatever is asked, each record is one line of JSON, and short.
func TestHostile_Records(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	paths := []string{
		"/%0a{\"level\":\"error\",\"msg\":\"request\"}", "/%0d%0a%0d%0a", "/\"}\n", "/%1b[31m%1b]0;owned%07", "/\x9b31m", "/\xff\xfe\xc0\xaf", "/\u202eevil\u2066", "/%u0000%00",
		"/" + strings.Repeat("%0a", 6_000), "/" + strings.Repeat("\xf0\x9f\x8d\x8e", 2_000), "/" + strings.Repeat("a", 60<<10), "/\u2028\u2029\x7f", "/<script>alert(1)</script>",
	}
	sent := 0
	for _, path := range paths {
		for _, method := range []string{"GET", "DELETE-EVERYTHING", "x\x7f"} {
			conn := s.rawConn()
			got, _ := exchange(t, conn, method+" "+path+" HTTP/1.1\r\nHost: "+host+"\r\nReferer: \x80\"}\r\nX-Forwarded-For: \u202e\r\nConnection: close\r\n\r\n", 1)
			if len(got) != 1 {
				t.Errorf("%s %.50q: got %v", method, path, got)
			}
			sent++
		}
	}
	s.stop()
	text := s.log.text()
	for line := range strings.Lines(text) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil || len(line) > 2000 || !utf8.ValidString(line) {
			t.Errorf("a line of %d bytes, %v: %.300q", len(line), err, line)
		}
	}
	if strings.ContainsAny(text, "\x1b\x00\x07\u009b\u202e\u2066") {
		t.Error("the log has controls of a terminal")
	}
	if n := len(s.log.lines(t, "request")); n == 0 || n > sent+10 {
		t.Errorf("%d requests made %d records", sent, n)
	}
}

// TestHostile_Series: what clients make up adds nothing to the metrics.
func TestHostile_Series(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	series := func() (names []string) {
		for line := range strings.Lines(s.admin(http.MethodGet, "/metrics", "", "").body) {
			if strings.HasPrefix(line, "waitroom_") {
				name, _, _ := strings.Cut(line, " ")
				names = append(names, name)
			}
		}
		return names
	}
	b := s.browser()
	ask := func(i int) {
		b.do(fmt.Sprintf("METHOD%d", i), fmt.Sprintf("/path-%d", i), "")
		b.do(http.MethodPost, fmt.Sprintf("/.waitroom/sale-%d/ticket", i), "")
		conn := s.rawConn()
		exchange(t, conn, fmt.Sprintf("GET / HTTP/1.%d\r\nHost: host-%d\r\nConnection: close\r\n\r\n", i%10, i), 1)
		hello, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{InsecureSkipVerify: true, ServerName: fmt.Sprintf("name-%d.example.com", i)})
		if err == nil {
			_ = hello.Close()
		}
	}
	for i := range 10 {
		ask(i)
	}
	before := series()
	for i := range sized(200, 100_000) {
		ask(10 + i)
	}
	if after := series(); len(after) > len(before) {
		t.Errorf("there are %d series, there were %d: %q", len(after), len(before), after)
	}
	if len(before) > 200 {
		t.Errorf("there are %d series", len(before))
	}
}

// TestHostile_Redirect: plain HTTP leads to our own name over HTTPS, to the same
// path, or nowhere.
func TestHostile_Redirect(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	ask := func(head string) *http.Response {
		t.Helper()
		conn, err := net.Dial("tcp", s.server.HTTPAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.WriteString(conn, head+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		_ = resp.Body.Close()
		return resp
	}
	for _, target := range []string{
		"/", "//evil.example", "//evil.example/%2f..", `/\evil.example`, `/\/evil.example`, "///evil.example", "/%0d%0aLocation:%20https://evil.example", "/%5cevil.example", "/@evil.example", "/.evil.example",
		"/?next=//evil.example", "/\xe2\x80\xa8", "/%E5%98%8A%E5%98%8DSet-Cookie:a", "/;@evil.example", "/:80", "/a:b@evil.example", "/https:evil.example", "http://" + host + "//evil.example", "http://" + strings.ToUpper(host) + "/x",
		"https://evil.example/", "https:evil.example", "http://" + host + "@evil.example/", "http://evil.example/", "http://" + host + ":80@evil.example/", `http://` + host + `\@evil.example/`, "evil.example", "/\r\nX: y", "/a#b",
	} {
		resp := ask("GET " + target + " HTTP/1.1\r\nHost: " + host)
		where := resp.Header.Get("Location")
		u, err := url.Parse(where)
		switch {
		case resp.StatusCode == http.StatusMovedPermanently:
			if err != nil || u.Scheme != "https" || u.Hostname() != host || u.User != nil || !strings.HasPrefix(where, "https://"+host+":") || resp.Header.Get("Set-Cookie") != "" {
				t.Errorf("%q leads to %q, %v", target, where, err)
			}
		case resp.StatusCode < 400 || where != "":
			t.Errorf("%q: %d, to %q", target, resp.StatusCode, where)
		}
	}
	for _, name := range []string{"evil.example", host + "@evil.example", host + ".evil.example", host + "/x", host + "\\.evil.example", host + ":80@evil.example", host + "%00.evil.example", "[::1]", "", host + " evil.example", host + ",evil.example", "evil.example:" + host, host + "?.evil.example", host + "#.evil.example"} {
		if resp := ask("GET / HTTP/1.1\r\nHost: " + name); resp.StatusCode < 400 || resp.Header.Get("Location") != "" {
			t.Errorf("Host %q: %d, to %q", name, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, name := range []string{host, strings.ToUpper(host), host + ".", host + ":80", host + ":65535"} {
		if where := ask("GET /x HTTP/1.1\r\nHost: " + name).Header.Get("Location"); !strings.HasPrefix(where, "https://"+host+":") || !strings.HasSuffix(where, "/x") {
			t.Errorf("Host %q leads to %q", name, where)
		}
	}
}
