package proxy_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/framing"
)

// anyHost serves every name, in front of a recording origin.
func anyHost(t *testing.T, plain bool) (*stage, *recorder) {
	t.Helper()
	rec := record(t)
	s := play(t, plot{plain: plain, config: "tls: {mode: internal}\norigin: {url: \"http://" + rec.addr + "\"}"})
	return s, rec
}

// exchange sends bytes and gives the status of each answer until the connection
// ends, or nothing more comes than was wanted.
func exchange(t *testing.T, conn net.Conn, sent string, wanted int) (statuses []int, ended bool) {
	t.Helper()
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(conn, sent) }() // the answer may come before all is sent
	in := bufio.NewReader(conn)
	for {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if len(statuses) == wanted {
			_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				return statuses, false
			}
			if err != io.ErrUnexpectedEOF && err != io.EOF {
				t.Errorf("%.100q: after %v: %v", sent, statuses, err)
			}
			return statuses, true
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode >= 200 {
			statuses = append(statuses, resp.StatusCode)
		}
	}
}

// refusedTexts are what framing refuses, each with its reason.
func refusedTexts(t *testing.T) (texts [][2]string) {
	t.Helper()
	written, err := os.ReadFile("framing/testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(written)) {
		reason, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		if text, err := strconv.Unquote(quoted); err == nil {
			texts = append(texts, [2]string{reason, text})
		}
	}
	if len(texts) < 100 {
		t.Fatalf("%d texts are read", len(texts))
	}
	return texts
}

// TestCorpus_Refused: no message that can be read in two ways, and nothing behind
// it, reaches the origin; each gets one answer.
func TestCorpus_Refused(t *testing.T) { bothWays(t, corpusRefused) }

func corpusRefused(t *testing.T, plain bool) {
	s, rec := anyHost(t, plain)
	const smuggled = "POST /toys/golden/buy HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
	for _, dial := range []struct {
		name string
		dial func() (net.Conn, error)
	}{
		{"TLS", func() (net.Conn, error) {
			return tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: "localhost"})
		}},
		{"plain", func() (net.Conn, error) { return net.Dial("tcp", s.server.HTTPAddr().String()) }},
	} {
		for _, c := range refusedTexts(t) {
			reason, text := framing.Refusal(c[0]), c[1]
			conn, err := dial.dial()
			if err != nil {
				t.Fatal(err)
			}
			want := []int{reason.Status()}
			inBody := reason == framing.Chunk || reason == framing.Trailer
			if inBody && dial.name == "plain" {
				want = []int{http.StatusForbidden} // whatever the body
			}
			got, ended := exchange(t, conn, text+smuggled, 2)
			if !slices.Equal(got, want) || !ended {
				t.Errorf("%s, %s: %q: got %v and an end %t, want %v and the end", dial.name, c[0], text, got, ended, want)
			}
		}
	}
	seen, odd := rec.took()
	if len(seen)+len(odd) > 0 {
		t.Errorf("the origin saw %q, and did not understand %q", seen, odd)
	}
}

// TestCorpus_Passed: what passes is for the origin what it is for the edge.
func TestCorpus_Passed(t *testing.T) { bothWays(t, corpusPassed) }

func corpusPassed(t *testing.T, plain bool) {
	s, rec := anyHost(t, plain)
	all := 0
	chunked := func(body string) string {
		return "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body
	}
	for _, test := range []struct {
		sent string
		want []int
		seen []string
	}{
		{"GET /x HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{`GET /x a ""`}},
		{"\r\nGET /x HTTP/1.1\r\nHost:a\r\n\r\n\r\nGET /y HTTP/1.1\r\nHost:\t a \t\r\n\r\n", []int{200, 200}, []string{`GET /x a ""`, `GET /y a ""`}},
		{"GET https://A/x?y HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{`GET /x?y A ""`}},
		{"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{`GET / a ""`}},
		{"GET http://a?x HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{`GET /?x a ""`}},
		{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{`OPTIONS * a ""`}},
		{"GET /x HTTP/1.0\r\nHost: a\r\n\r\n", []int{200}, []string{`GET /x a ""`}},
		{"GET /x HTTP/1.0\r\n\r\n", []int{400}, nil},
		{"GET /a%2Fb//c;d?e=%zz&f=|{} HTTP/1.1\r\nHost: a:443\r\n\r\n", []int{200}, []string{`GET /a%2Fb//c;d?e=%zz&f=|{} a:443 ""`}},
		{"brew /x HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{`brew /x a ""`}},
		{"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", []int{405}, nil},
		{"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", []int{405}, nil},
		{"POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 0003\r\n\r\nabcGET /x HTTP/1.1\r\nHost: a\r\n\r\n", []int{200, 200}, []string{`POST /c a "abc"`, `GET /x a ""`}},
		{chunked("1;a=b\r\nx\r\n00002\r\nyz\r\n0\r\nX: y\r\n\r\n") + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n", []int{200, 200}, []string{`POST /c a "xyz"`, `GET /x a ""`}},
		{chunked("5\r\nGET /\r\n0\r\n\r\n"), []int{200}, []string{`POST /c a "GET /"`}},
		{"GET /g HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\nPOST /toys/golden/buy HTTP/1.1\r\n\r\nx", []int{200}, []string{`GET /g a "POST /toys/golden/buy HTTP/1.1\r\n\r\nx"`}},
		{"GET /x HTTP/1.1\r\nHost: a\r\nConnection: Host, Content-Length, close\r\nX_Y: z\r\nTE: gzip\r\n\r\n", []int{200}, []string{`GET /x a ""`}},
		{"GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n", []int{200}, []string{`GET /x a ""`}},
		{"POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nz", []int{200}, []string{`POST /c a "z"`}},
		{"POST /c HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\nContent-Length: 1\r\n\r\nz", []int{417}, nil},
		{"POST /toys/golden/buy HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", []int{429}, nil},
		{"POST /x/%2e%2e%5Ctoys/golden/buy%3f HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", []int{429}, nil},
		{"POST /x%2Fy/../toys/golden/buy HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", []int{429}, nil},
		{"POST http://a/toys/golden/buy HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", []int{429}, nil},
	} {
		conn, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: "localhost"})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := exchange(t, conn, test.sent, len(test.want))
		seen, odd := rec.took()
		all += len(seen)
		if !slices.Equal(got, test.want) || !slices.Equal(seen, test.seen) || len(odd) > 0 {
			t.Errorf("%q: got %v, want %v; the origin saw %q and did not understand %q, want %q", test.sent, got, test.want, seen, odd, test.seen)
		}
	}
	s.stop() // every record is written
	forwarded := 0
	for _, line := range s.log.lines(t, "request") {
		if line["decision"] == "origin" {
			forwarded++
		}
	}
	if forwarded != all || all == 0 {
		t.Errorf("%d requests are recorded as passed on, the origin saw %d", forwarded, all)
	}
}
