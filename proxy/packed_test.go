package proxy_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/certs"
)

// unpacked is the body of a packed answer.
func unpacked(t *testing.T, body string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// TestPackedPages: each page goes out packed to who takes that, and is the same then.
func TestPackedPages(t *testing.T) {
	t.Parallel()
	s := play(t, queued("", ""))
	waits, turn, held := s.person(), s.person(), s.person()
	for _, b := range []*browser{waits, turn, held} {
		b.buy("size=42&note=%C3%BC").code(t, "too soon", http.StatusSeeOther)
	}
	const line = "/.waitroom/golden-toy/line"
	look := func(what string, b *browser, part string) {
		t.Helper()
		packed := b.get(line, "Accept-Encoding", "gzip, deflate, br, zstd").code(t, what, http.StatusOK).
			head(t, what, "Content-Encoding", "gzip").head(t, what, "Vary", "Accept-Encoding").head(t, what, "Cache-Control", "no-store")
		page := unpacked(t, packed.body)
		if !strings.Contains(page, part) || !strings.HasSuffix(page, "</html>\n") {
			t.Errorf("%s: the page has no %q, or no end", what, part)
		}
		if most := 15 << 10; len(packed.body) > most || packed.ContentLength != int64(len(packed.body)) {
			t.Errorf("%s: %d bytes of %d, announced as %d; want %d at most", what, len(packed.body), len(page), packed.ContentLength, most)
		}
		for _, accept := range []string{"", "gzip;q=0", "identity", "br", "identity, gzip;q=0.5"} {
			plain := b.get(line, "Accept-Encoding", accept).head(t, what+": "+accept, "Content-Encoding", "").head(t, what+": "+accept, "Vary", "Accept-Encoding")
			if !strings.HasSuffix(plain.body, "</html>\n") {
				t.Errorf("%s: for %q the page ends in %.20q", what, accept, plain.body[max(0, len(plain.body)-20):])
			}
		}
		head := b.do(http.MethodHead, line, "", "Accept-Encoding", "gzip").head(t, what+": HEAD", "Content-Encoding", "gzip")
		if n, _ := strconv.Atoi(head.Header.Get("Content-Length")); head.body != "" || n < len(packed.body)-100 || n > len(packed.body)+100 {
			t.Errorf("%s: HEAD has %d bytes and announces %d, GET has %d", what, len(head.body), n, len(packed.body))
		}
	}
	look("in line", waits, `data-sale="golden-toy"`)
	turn.turn()
	look("turn", turn, `name="size" value="42"`)
	held.turn()
	held.buy("").code(t, "buy", http.StatusCreated)
	look("finishing", held, `data-page="finishing"`)
	s.browser().get("/.waitroom/nothing/line", "Sec-Fetch-Mode", "navigate", "Accept-Encoding", "gzip").head(t, "of no sale", "Content-Encoding", "gzip")

	old, body := s.raw("GET " + line + " HTTP/1.0\r\nHost: " + host + "\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nCookie: " + ticketCookie + "=" + waits.cookie(ticketCookie) + "\r\n\r\n")
	if old.Header.Get("Content-Encoding") != "gzip" || !strings.HasSuffix(unpacked(t, body), "</html>\n") {
		t.Errorf("HTTP/1.0: %v", old.Header)
	}
}

// TestPackedForCurl: a reader that is not Go's takes it, too.
func TestPackedForCurl(t *testing.T) {
	t.Parallel()
	s := play(t, plot{doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour})
	b := s.person()
	b.join()
	_, port, _ := strings.Cut(s.server.Addr().String(), ":")
	out := filepath.Join(s.dir, "page.html")
	for _, version := range []string{"--http1.0", "--http1.1", "--http2"} {
		got, err := exec.Command("curl", "--silent", "--show-error", "--compressed", version, "--output", out, "--write-out", "%{http_code} %{size_download}",
			"--cacert", filepath.Join(s.dir, "data", certs.InternalCA), "--resolve", fmt.Sprintf("%s:%s:127.0.0.1", host, port),
			"--header", "Accept: text/html", "--cookie", ticketCookie+"="+b.cookie(ticketCookie), "https://"+host+":"+port+"/.waitroom/golden-toy/line").CombinedOutput()
		page, _ := os.ReadFile(out)
		if err != nil || !strings.HasPrefix(string(got), "200 ") || !strings.HasSuffix(string(page), "</html>\n") {
			t.Errorf("%s: %s, %v, %d bytes", version, got, err, len(page))
		}
	}
}
