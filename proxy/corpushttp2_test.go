package proxy_test

import (
	"crypto/tls"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCorpus_HTTP2: what comes over HTTP/2 is for the origin, in HTTP/1.1, what it is
// for the edge, or does not reach it.
func TestCorpus_HTTP2(t *testing.T) { bothWays(t, corpusHTTP2) }

func corpusHTTP2(t *testing.T, plain bool) {
	s, rec := anyHost(t, plain)
	post := func(fields ...string) []string {
		return asked(append([]string{":method", "POST", ":path", "/c"}, fields...)...)
	}
	buy := func(path string) []string { return asked(":method", "POST", ":path", path, "content-length", "0") }
	const malformed = "PROTOCOL_ERROR"
	for _, test := range []struct {
		fields, body, trailer []string
		want                  string
		seen                  []string
	}{
		{asked(), nil, nil, "200", []string{`GET /x a ""`}},
		{asked("host", "A"), nil, nil, "200", []string{`GET /x a ""`}},
		{asked("host", "b"), nil, nil, malformed, nil},
		{asked(":authority", "u@a"), nil, nil, malformed, nil},
		{asked(":authority", "a,b"), nil, nil, malformed, nil},
		{asked(":scheme", "http"), nil, nil, malformed, nil},
		{asked(":path", "//a%2Fb;c?d=%zz"), nil, nil, "200", []string{`GET //a%2Fb;c?d=%zz a ""`}},
		{asked(":path", "/x HTTP/1.1\r\nHost: b\r\n\r\nGET /y"), nil, nil, malformed, nil},
		{asked(":path", "/x HTTP/1.1"), nil, nil, malformed, nil},
		{asked(":path", "x"), nil, nil, malformed, nil},
		{asked(":path", "https://b/x"), nil, nil, malformed, nil},
		{asked(":path", "/x#y"), nil, nil, malformed, nil},
		{asked(":method", "GET /y HTTP/1.1\r\nX:"), nil, nil, malformed, nil},
		{asked(":method", "brew"), nil, nil, "200", []string{`brew /x a ""`}},
		{asked(":method", "TRACE"), nil, nil, "405", nil},
		{[]string{":method", "CONNECT", ":authority", "a:443"}, nil, nil, "405", nil},
		{asked(":method", "CONNECT", ":protocol", "websocket"), nil, nil, malformed, nil},
		{asked("x", "a\r\nTransfer-Encoding: chunked"), nil, nil, malformed, nil},
		{asked("x: y\r\nz", "a"), nil, nil, malformed, nil},
		{asked("transfer-encoding", "chunked"), nil, nil, malformed, nil},
		{asked("connection", "content-length"), nil, nil, malformed, nil},
		{asked("upgrade", "h2c", "http2-settings", "AAMAAABkAAQCAAAAAAIAAAAA"), nil, nil, malformed, nil},
		{asked("te", "trailers"), nil, nil, "200", []string{`GET /x a ""`}},
		{post(), []string{"abc", "", "d"}, nil, "200", []string{`POST /c a "abcd"`}},
		{post("content-length", "4"), []string{"abc", "d"}, nil, "200", []string{`POST /c a "abcd"`}},
		{post("content-length", "4"), []string{"abc", "de"}, nil, "", nil}, // reset or 400, as the race goes
		{post("content-length", "5"), []string{"abc", "d"}, nil, "400", nil},
		{post("content-length", "4", "content-length", "4"), []string{"abcd"}, nil, malformed, nil},
		{post("content-length", "+4"), []string{"abcd"}, nil, malformed, nil},
		{post("x", "a "), []string{"abcd"}, nil, malformed, nil},
		{post("x", "\ta"), []string{"abcd"}, nil, malformed, nil},
		{post("te", "gzip"), []string{"abcd"}, nil, malformed, nil},
		{post("X-A", "b"), []string{"abcd"}, nil, malformed, nil},
		{post("x", "a b"), []string{"abcd"}, nil, "200", []string{`POST /c a "abcd"`}},
		{post("content-length", "4"), nil, nil, malformed, nil},
		{post(), []string{"GET /y HTTP/1.1\r\nHost: a\r\n\r\n"}, []string{"server-timing", "x"}, "200", []string{`POST /c a "GET /y HTTP/1.1\r\nHost: a\r\n\r\n"`}},
		{post(), []string{"x"}, []string{"content-length", "9"}, malformed, nil},
		{post(), []string{"x"}, []string{":path", "/toys/golden/buy"}, malformed, nil},
		{buy("/toys/golden/buy"), nil, nil, "429", nil},
		{buy("/toys/golden/%62uy;x?y"), nil, nil, "429", nil},
		{buy("/x%2Fy/../toys/golden/buy"), nil, nil, "429", nil},
	} {
		w := s.wire(t)
		w.ask(1, test.fields, test.body, test.trailer)
		got := w.outcome(1)
		_ = w.Conn.Close()
		seen, odd := rec.took()
		if test.want != "" && got != test.want || !slices.Equal(seen, test.seen) || len(odd) > 0 {
			t.Errorf("%q %q %q: got %s, want %s; the origin saw %q and did not understand %q, want %q", test.fields, test.body, test.trailer, got, test.want, seen, odd, test.seen)
		}
	}
}

// TestCrumbs: a cookie that comes in pieces is one for the origin, without ours
// (RFC 9113, 8.2.3).
func TestCrumbs(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	w := s.wire(t)
	w.ask(1, asked(":authority", host, "cookie", "a=b", "cookie", ticketCookie+"=x; c=d", "cookie", passCookie+"=y", "cookie", "e=f"), nil, nil)
	if got := w.outcome(1); got != "200" {
		t.Fatalf("got %s", got)
	}
	if got := s.shop.last(t).Header["Cookie"]; !slices.Equal(got, []string{"a=b; c=d; e=f"}) {
		t.Errorf("the origin sees %q", got)
	}
}

// TestNameOfTheHandshake: a request for another of our names than the handshake's is
// for another connection.
func TestNameOfTheHandshake(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "tls: {mode: internal, domains: [" + host + ", localhost]}"})
	for authority, want := range map[string]string{"localhost": "200", "LOCALHOST.:443": "200", host: "421", "stranger.example.com": "421", strings.ToUpper(host): "421"} {
		w := s.wire(t)
		w.ask(1, asked(":authority", authority), nil, nil)
		if got := w.outcome(1); got != want {
			t.Errorf("%s over HTTP/2: got %s, want %s", authority, got, want)
		}
		conn, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: "localhost"})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := exchange(t, conn, "GET /x HTTP/1.1\r\nHost: "+authority+"\r\nConnection: close\r\n\r\n", 1)
		if len(got) != 1 || strconv.Itoa(got[0]) != want {
			t.Errorf("%s over HTTP/1.1: got %v, want %s", authority, got, want)
		}
	}
}
