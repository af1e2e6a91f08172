package origin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/origin"
)

// BenchmarkRoundTrip is the pool beside the standard client, which it replaces.
func BenchmarkRoundTrip(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 2000)) }))
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		b.Fatal(err)
	}
	p, err := origin.New(configs.Origin{URLs: []*url.URL{u}, Timeout: time.Minute}, zap.NewNop())
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	standard := &http.Transport{DisableCompression: true, MaxConnsPerHost: 512, MaxIdleConnsPerHost: 256}
	defer standard.CloseIdleConnections()
	for name, next := range map[string]http.RoundTripper{"pool": p, "standard": standard} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					req, _ := http.NewRequest(http.MethodGet, s.URL+"/", nil)
					resp, err := next.RoundTrip(req)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			})
		})
	}
}
