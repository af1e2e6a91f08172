package e2e_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/shop"
)

// TestHeadAndGetStayInStep: on one connection a HEAD has the head of the GET and no
// body, whether what is asked for was kept before or not, packed or plain, and
// every answer begins where the one before has ended.
func TestHeadAndGetStayInStep(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	for _, target := range []string{productPath, "/gallery/1.svg", "/tagged", "/packed", "/none", "/files/70000"} {
		for _, packed := range []string{"identity", "gzip"} {
			conn, in := f.raw(t, shopName)
			ask := func(method string) (*http.Response, string) {
				t.Helper()
				request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: %s\r\n\r\n", method, target, shopName, packed)
				if _, err := io.WriteString(conn, request); err != nil {
					t.Fatal(err)
				}
				res, body := readOne(t, in, method)
				if in.Buffered() > 0 {
					t.Fatalf("%s %s: %d bytes came behind the answer", method, target, in.Buffered())
				}
				return res, body
			}
			for range 2 { // cold, then kept if it may be
				head, none := ask(http.MethodHead)
				get, body := ask(http.MethodGet)
				if none != "" || head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
					t.Errorf("%s, %s: HEAD is %d with %d bytes, GET is %d", target, packed, head.StatusCode, len(none), get.StatusCode)
				}
				// What is packed in the background may be so for the second alone.
				same := head.Header.Get("Content-Encoding") == get.Header.Get("Content-Encoding")
				if said := head.ContentLength; same && said >= 0 && said != int64(len(body)) {
					t.Errorf("%s, %s: HEAD announces %d bytes, GET has %d", target, packed, said, len(body))
				}
				if target == "/packed" && unpacked(t, get, body) != shop.PackedText {
					t.Errorf("%s, %s: the text is another", target, packed)
				}
			}
			_ = conn.Close()
		}
	}
}

func readOne(t *testing.T, in *bufio.Reader, method string) (*http.Response, string) {
	t.Helper()
	res, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func unpacked(t *testing.T, res *http.Response, body string) string {
	t.Helper()
	if res.Header.Get("Content-Encoding") != "gzip" {
		return body
	}
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAnswersForOneReachOne: a shop that greets people by name, and says carelessly
// that it may be kept, greets nobody by another's name because of us.
func TestAnswersForOneReachOne(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	people := map[string]visitor{"stranger": {f, f.client(true)}}
	for i, name := range []string{"Ann", "Bo"} {
		people[name] = visitor{f, f.client(i == 0)}
		people[name].logIn(t, name)
	}
	for round := range 3 {
		for name, v := range people {
			if body := v.ask(t, 200, "GET", "/hello", "").body; !strings.Contains(body, "<h1>Hello "+name+"</h1>") {
				t.Errorf("round %d: %s is greeted with %s", round, name, body)
			}
			if name == "stranger" {
				v.ask(t, 302, "GET", "/account", "")
				v.client.Jar = nil // and comes anew each time
				continue
			}
			if body := v.ask(t, 200, "GET", "/account", "").body; !strings.Contains(body, "Account of "+name) {
				t.Errorf("round %d: %s sees %s", round, name, body)
			}
			v.ask(t, 200, "GET", "/cookies", "")
		}
	}
	if n := len(f.shop.Seen("/cookies")); n != 6 {
		t.Errorf("what sets cookies came from the shop %d times, want 6", n)
	}
}
