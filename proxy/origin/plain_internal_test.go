package origin

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// FuzzPlainAnswer: what is taken for a plain answer is read as the standard library reads
// it, and no further.
func FuzzPlainAnswer(f *testing.F) {
	for _, head := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200\r\ncontent-length:0002 \t\r\nx-a: b\r\nX-A:\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\n\r\nokmore",
		"HTTP/1.1 404 Not Found\r\nConnection: close\r\nETag: W/\"a\"\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: Keep-Alive\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\nX: y\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nX: y\r\n z\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 \xff\r\nX: \xff\tä \r\nX_Y-z: 1\r\n--: 2\r\nContent-Length: 9223372036854775807\r\n\r\nok",
		"HTTP/1.1 999 OK\r\nPragma: no-cache\r\nContent-Length: 2\r\n\r\nok",
	} {
		f.Add(head)
	}
	f.Fuzz(func(t *testing.T, text string) {
		req := &http.Request{Method: http.MethodGet}
		in := bufio.NewReaderSize(strings.NewReader(text), mostWhole)
		_, _ = in.Peek(1)
		got := plainAnswer(in)
		if got == nil {
			return
		}
		other := bufio.NewReaderSize(strings.NewReader(text), mostWhole)
		want, err := http.ReadResponse(other, req)
		if err != nil {
			t.Fatalf("%q: taken for plain, want %v", text, err)
		}
		rest, _ := io.ReadAll(in)
		left, _ := io.ReadAll(other)
		if string(rest) != string(left) {
			t.Errorf("%q: left is %q, want %q", text, rest, left)
		}
		want.Body, want.Request = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n%+v, want\n%+v", text, got, want)
		}
	})
}
