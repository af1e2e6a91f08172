package framing_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/proxy/framing"
)

const most = 32 << 10 // bytes of a head

// cleared reads bytes that come in pieces and gives what was cleared of them, a
// blank line aside for each time.
func cleared(text string, piece int) (string, framing.Refusal) {
	r := framing.NewReader(most)
	var parts []string
	var held []byte
	for text != "" || len(held) > 0 {
		n, no := r.Next(held)
		if no != "" {
			return strings.Join(parts, "\x00"), no
		}
		if n > 0 {
			parts = append(parts, string(held[:n]))
			held = held[n:]
			continue
		}
		if text == "" {
			break
		}
		n = min(piece, len(text))
		held, text = append(held, text[:n]...), text[n:]
	}
	return strings.Join(parts, "\x00"), ""
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// post is a request with fields and what follows its head.
func post(fields ...string) string {
	body := fields[len(fields)-1]
	return "POST / HTTP/1.1\r\nHost: a\r\n" + strings.Join(fields[:len(fields)-1], "\r\n") + "\r\n\r\n" + body
}

func TestReader_Clears(t *testing.T) {
	t.Parallel()
	chunked := post("Transfer-Encoding: chunked", "")
	for name, parts := range map[string][]string{
		"one":                    {get},
		"two":                    {get, get},
		"a body":                 {post("Content-Length: 3", ""), "abc", get},
		"an empty body":          {post("Content-Length: 0", ""), get},
		"zeros before a length":  {post("Content-Length: 0003", ""), "abc", get},
		"blanks around a length": {post("Content-Length: \t 3 \t", ""), "abc", get},
		"chunks":                 {chunked, "3\r\n", "abc", "\r\n", "00Af;x=\"y\"; z\r\n", strings.Repeat("a", 0xaf), "\r\n", "0\r\n", "\r\n", get},
		"a trailer":              {chunked, "0;x\r\n", "Digest: x\r\nServer-Timing: 1\r\n\r\n", get},
		"any case":               {post("TRANSFER-encoding: Chunked", ""), "0\r\n", "\r\n", get},
		"an empty line before":   {get, "\r\n" + get, "\r\n" + get},
		"HTTP/1.0":               {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n"},
		"no fields but Host":     {"GET /a?b=c HTTP/1.1\r\nHost: [::1]:443\r\n\r\n"},
		"absolute":               {"GET HTTPS://A:1/x?y HTTP/1.1\r\nHost: a:1\r\n\r\n", "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a?%zz HTTP/1.1\r\nHost: A\r\n\r\n"},
		"an asterisk":            {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"},
		"CONNECT":                {"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", get},
		"odd, and one's own":     {"M-SEARCH //x|{}^\"\\?a=[b]%zz HTTP/1.1\r\nHost: a_b.c-d.:80\r\nX: \xff\ta  b\r\nY:\r\n\r\n"},
		"above ASCII":            {"GET /caf\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n"},
		"another protocol":       {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"},
	} {
		for _, piece := range []int{1, 7, 4096} {
			got, no := cleared(strings.Join(parts, ""), piece)
			// A body comes as it comes.
			if no != "" || strings.ReplaceAll(got, "\x00", "") != strings.Join(parts, "") {
				t.Errorf("%s, %d bytes at a time: cleared %q, then refused with %q; want %q", name, piece, got, no, parts)
			}
			if want := strings.Join(parts, "\x00"); piece == 4096 && got != want {
				t.Errorf("%s: cleared %q, want %q", name, got, want)
			}
		}
	}
}

// corpus is what is refused, by the reason.
func corpus(t testing.TB) map[framing.Refusal][]string {
	t.Helper()
	written, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[framing.Refusal][]string{}
	for line := range strings.Lines(string(written)) {
		reason, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		if reason == "#" {
			continue
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		texts[framing.Refusal(reason)] = append(texts[framing.Refusal(reason)], text)
	}
	return texts
}

func TestReader_Refuses(t *testing.T) {
	t.Parallel()
	texts := corpus(t)
	chunked := post("Transfer-Encoding: chunked", "")
	texts[framing.Trailer] = append(texts[framing.Trailer], chunked+"0\r\nX: "+strings.Repeat("a", 5000)+"\r\n\r\n")
	texts[framing.Large] = []string{
		"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", most), "GET /" + strings.Repeat("a", most), strings.Repeat("A", most+1),
		"GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: a\r\n", 1001),
	}
	for no, all := range texts {
		for _, text := range all {
			for _, piece := range []int{1, 7, 1 << 20} {
				if _, got := cleared(text, piece); got != no {
					t.Errorf("%s, %d bytes at a time: %.100q is refused with %q", string(no), piece, text, string(got))
				}
			}
		}
		if no.Error() == "" || no.Status() < 400 {
			t.Errorf("%s is answered with %d %q", string(no), no.Status(), no.Error())
		}
	}
}

// TestReader_IsFinal: nothing is cleared behind what was refused.
func TestReader_IsFinal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"GET / HTTP/1.2\r\n", post("Transfer-Encoding: chunked", "1;"+strings.Repeat("a", 300)+"\r\n")} {
		r := framing.NewReader(most)
		held := []byte(text + get)
		for {
			n, no := r.Next(held)
			if held = held[n:]; no != "" {
				break
			}
		}
		if n, no := r.Next(held); n != 0 || no == "" {
			t.Errorf("%.30q: %d bytes are cleared after the refusal", text, n)
		}
	}
}

// TestReader_AfterUpgrade: no empty line is tolerated where another protocol may
// have begun.
func TestReader_AfterUpgrade(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n\r\n"} {
		if _, no := cleared(text+get, 1); no != framing.RequestLine {
			t.Errorf("%q: got %q", text, no)
		}
	}
}

// browser is a head as a browser sends it.
var browser = []byte(strings.ReplaceAll(`GET /toys/golden?utm_source=newsletter&utm_medium=email HTTP/1.1
Host: shop.example.com
Connection: keep-alive
Cache-Control: max-age=0
sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"
sec-ch-ua-mobile: ?0
sec-ch-ua-platform: "Windows"
Upgrade-Insecure-Requests: 1
User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8
Sec-Fetch-Site: none
Sec-Fetch-Mode: navigate
Sec-Fetch-User: ?1
Sec-Fetch-Dest: document
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7
Cookie: session=2f1c3b5e7d9a4c6e8f0b2d4f6a8c0e1f; cart=eyJpdGVtcyI6W119; consent=1; _ga=GA1.1.1234567890.1700000000

`, "\n", "\r\n"))

func BenchmarkReader(b *testing.B) {
	r := framing.NewReader(most)
	b.SetBytes(int64(len(browser)))
	b.ReportAllocs()
	for b.Loop() {
		if n, no := r.Next(browser); n != len(browser) || no != "" {
			b.Fatal(n, no)
		}
	}
}

func ExampleReader() {
	r := framing.NewReader(1024)
	_, no := r.Next([]byte("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"))
	fmt.Println(no.Status(), no)
	// Output: 400 Content-Length is one number, of at most 18 digits
}
