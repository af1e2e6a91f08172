package origin_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/origin"
)

// page is what the server of the benchmarks answers, each time.
var page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: max-age=60\r\nEtag: \"abc\"\r\n" +
	"Date: Mon, 02 Jan 2006 15:04:05 GMT\r\nServer: shop\r\nContent-Length: 2000\r\n\r\n" + letters[:2000]

// serveCheaply opens a server that does as little as it can, so that it is the client
// that is measured.
func serveCheaply(b *testing.B) string {
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
					if _, err := io.WriteString(c, page); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// BenchmarkRoundTrip is the pool beside the standard client, which it replaces, in turns;
// ratio is the time of the one to that of the other.
func BenchmarkRoundTrip(b *testing.B) {
	address := serveCheaply(b)
	u, err := url.Parse(address)
	if err != nil {
		b.Fatal(err)
	}
	p, err := origin.New(configs.Origin{URLs: []*url.URL{u}, Timeout: time.Minute}, zap.NewNop())
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	standard := &http.Transport{DisableCompression: true, MaxConnsPerHost: 512, MaxIdleConnsPerHost: 256, ResponseHeaderTimeout: time.Minute}
	defer standard.CloseIdleConnections()
	b.Run("pool", func(b *testing.B) { ask(b, p, address) })
	b.Run("standard", func(b *testing.B) { ask(b, standard, address) })
	b.Run("both", func(b *testing.B) {
		var took [2]time.Duration
		for n := 0; n < b.N; n += 100 {
			for i, next := range []http.RoundTripper{p, standard} {
				begun := time.Now()
				for range 100 {
					one(b, next, address)
				}
				took[i] += time.Since(begun)
			}
		}
		b.ReportMetric(float64(took[0])/float64(took[1]), "ratio")
	})
}

func ask(b *testing.B, next http.RoundTripper, address string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		one(b, next, address)
	}
}

// one is a request as the proxy makes it, and its answer.
func one(b *testing.B, next http.RoundTripper, address string) {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address+"/toys?page=2", nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header = header
	resp, err := next.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

var header = http.Header{
	"Accept": {"text/html,application/xhtml+xml"}, "Accept-Encoding": {"gzip, br"}, "Accept-Language": {"de"}, "Cookie": {"cart=1; lang=de"},
	"Forwarded": {"for=192.0.2.1;host=shop.example.com;proto=https"}, "User-Agent": {"Mozilla/5.0 (X11; Linux x86_64)"},
	"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Host": {"shop.example.com"}, "X-Forwarded-Proto": {"https"},
}
