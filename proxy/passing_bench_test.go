package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// passed is what the origin of the benchmarks answers, each time.
var passed = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: private\r\nEtag: \"abc\"\r\n" +
	"Date: Mon, 02 Jan 2006 15:04:05 GMT\r\nServer: shop\r\nContent-Length: 2000\r\n\r\n" + strings.Repeat("x", 2000)

// openCheaply opens an origin that does as little as it can, so that it is the edge that
// is measured.
func openCheaply(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				for piece := make([]byte, 4096); ; {
					if _, err := c.Read(piece); err != nil {
						return
					}
					if _, err := io.WriteString(c, passed); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// blank is a writer that does nothing but what one of a server can.
type blank struct{ h http.Header }

func (w *blank) Header() http.Header            { return w.h }
func (*blank) Write(b []byte) (int, error)      { return len(b), nil }
func (*blank) WriteHeader(int)                  {}
func (*blank) Flush()                           {}
func (*blank) SetReadDeadline(time.Time) error  { return nil }
func (*blank) SetWriteDeadline(time.Time) error { return nil }
func (*blank) EnableFullDuplex() error          { return nil }

const asking = "GET /toys/other?page=2 HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n" +
	"Accept: text/html,application/xhtml+xml\r\nAccept-Language: de\r\nAccept-Encoding: gzip, br\r\nCookie: cart=1; lang=de\r\n\r\n"

// BenchmarkPassing is a request that goes to the origin and its answer: through the
// handler alone, and over a connection.
func BenchmarkPassing(b *testing.B) {
	s := play(b, plot{quiet: true, config: `origin: {url: "http://` + openCheaply(b) + `"}`})
	b.Run("handler", func(b *testing.B) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(asking)))
		if err != nil {
			b.Fatal(err)
		}
		r.RemoteAddr, r.TLS = "192.0.2.1:1234", httptest.NewRequest(http.MethodGet, "https://"+host+"/", nil).TLS
		r.TLS.ServerName = host
		b.ReportAllocs()
		for b.Loop() {
			s.edge.ServeHTTP(&blank{h: http.Header{}}, r.WithContext(b.Context()))
		}
	})
	b.Run("connection", func(b *testing.B) {
		conn := s.rawConn()
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Time{})
		in := bufio.NewReader(conn)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := io.WriteString(conn, asking); err != nil {
				b.Fatal(err)
			}
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, resp.Body); n != 2000 || err != nil {
				b.Fatal(n, err)
			}
		}
	})
}
