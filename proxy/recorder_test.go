package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// recorder is an origin that keeps every byte that it gets, and reads messages by
// itself: not as net/http does, nor as framing does.
type recorder struct {
	addr string
	mu   sync.Mutex
	seen []string // of each message, in order: method, target, host and body
	odd  []string // what it did not understand

	pages int // how often the product page was fetched
}

const productPage = "/toys/golden"

func record(t testing.TB) *recorder {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{addr: l.Addr().String()}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { rec.serve(conn) })
		}
	})
	return rec
}

// serve reads messages and answers each; it hangs up at the first that it does not
// understand.
func (rec *recorder) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		m, err := readMessage(in)
		if err == io.EOF {
			return
		}
		rec.mu.Lock()
		if strings.HasPrefix(m, "GET "+productPage+" ") {
			rec.pages++
		} else if err != nil {
			rec.odd = append(rec.odd, err.Error())
		} else {
			rec.seen = append(rec.seen, m)
		}
		rec.mu.Unlock()
		if err != nil {
			return
		}
		body := "got it"
		if strings.HasPrefix(m, "HEAD ") {
			body = ""
		}
		if _, err := fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 6\r\n\r\n%s", body); err != nil {
			return
		}
	}
}

// took gives what came since it was asked last, but for the product page.
func (rec *recorder) took() (seen, odd []string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	seen, odd = rec.seen, rec.odd
	rec.seen, rec.odd = nil, nil
	return seen, odd
}

// readMessage reads one; io.EOF: there is none. A message that ends too early is
// none either: whoever reads it as one serves half of it.
func readMessage(in *bufio.Reader) (string, error) {
	var head []byte
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		c, err := in.ReadByte()
		if err != nil {
			return "", io.EOF
		}
		if head = append(head, c); len(head) > 1<<20 {
			return "", fmt.Errorf("a head without end: %.100q", head)
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(head), "\r\n\r\n"), "\r\n")
	start := strings.Split(lines[0], " ")
	if len(start) != 3 || start[2] != "HTTP/1.1" {
		return "", fmt.Errorf("a request line: %q", lines[0])
	}
	length, chunked, hosts := "", "", []string(nil)
	for _, line := range lines[1:] {
		name, value, found := strings.Cut(line, ": ")
		if !found || strings.ContainsAny(name, " \t") || strings.ContainsAny(line, "\r\n\x00") {
			return "", fmt.Errorf("a field: %q", line)
		}
		switch strings.ReplaceAll(strings.ToLower(name), "_", "-") {
		case "host":
			hosts = append(hosts, value)
		case "content-length":
			length += value
		case "transfer-encoding":
			chunked += value
		}
	}
	if len(hosts) != 1 || length != "" && chunked != "" || chunked != "" && chunked != "chunked" {
		return "", fmt.Errorf("hosts %q, length %q, coding %q", hosts, length, chunked)
	}
	body, err := readBody(in, length, chunked != "")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s %q", start[0], start[1], hosts[0], body), nil
}

func readBody(in *bufio.Reader, length string, chunked bool) ([]byte, error) {
	if !chunked {
		n, err := strconv.ParseUint("0"+length, 10, 31)
		if err != nil {
			return nil, err
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return nil, io.EOF
		}
		return body, nil
	}
	var body []byte
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, io.EOF
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(line, "\r\n"), 16, 31)
		if err != nil {
			return nil, fmt.Errorf("a chunk: %q", line)
		}
		piece := make([]byte, n+2)
		if _, err := io.ReadFull(in, piece); err != nil {
			return nil, io.EOF
		}
		if !bytes.HasSuffix(piece, []byte("\r\n")) {
			return nil, fmt.Errorf("the end of a chunk: %q", piece)
		}
		if body = append(body, piece[:n]...); n == 0 {
			return body, nil
		}
	}
}

func TestReadMessage(t *testing.T) {
	t.Parallel()
	text := "POST /a?b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + "PUT / HTTP/1.1\r\nContent-Length: 2\r\nHost: h\r\n\r\nxy" + "GET /half HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nxy"
	in := bufio.NewReader(strings.NewReader(text))
	var got []string
	for {
		m, err := readMessage(in)
		if err != nil {
			break
		}
		got = append(got, m)
	}
	if want := []string{`POST /a?b h "abc"`, `PUT / h "xy"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, odd := range []string{"GET /  HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nContent_Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.1\r\nHost : h\r\n\r\n"} {
		if m, err := readMessage(bufio.NewReader(strings.NewReader(odd))); err == nil || err == io.EOF {
			t.Errorf("%q is read as %q, %v", odd, m, err)
		}
	}
}
