package proxy_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/proxy/listen"
)

// ordinary is a second server of a stage's edge, without the express lane.
func (s *stage) ordinary() *proxy.Server {
	s.t.Helper()
	cfg := *s.cfg
	cfg.Listen.Express = false
	sockets, err := listen.Open(proxy.Sockets(&cfg), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	server := proxy.NewServer(&cfg, sockets, s.keeper(), s.edge, http.NotFoundHandler(), math.MaxUint64, 0, s.log.logger())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Run(ctx) }()
	s.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	return server
}

// TestLaneIsTheServer: over the wire each answer is the same with the express lane and
// without it, over HTTP/1.1 and HTTP/2, one after the other on one connection.
func TestLaneIsTheServer(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	servers := map[string]net.Addr{"lane": s.server.Addr(), "ordinary": s.ordinary().Addr()}
	s.until("the page is known", func() bool { return s.somebody().get("/toys/golden").StatusCode == http.StatusOK })
	packed := []string{"Accept-Encoding", "gzip"}
	html := []string{"Accept", "text/html", "Accept-Language", "de"}
	for _, two := range []bool{false, true} {
		clients := map[string]*http.Transport{}
		for name, at := range servers {
			clients[name] = &http.Transport{ForceAttemptHTTP2: two, DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: s.ca, ServerName: host},
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "tcp", at.String())
				}}
			t.Cleanup(clients[name].CloseIdleConnections)
		}
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "DELETE"} {
			for _, path := range []string{"/toys/golden", "/toys/golden?a=b", "/.waitroom/golden-toy/status", "/.waitroom/golden-toy/me", "/.waitroom/golden-toy/line",
				"/.waitroom/nothing", "/cart", "/toys/../x", "/.waitroom/golden-toy/join"} {
				for _, fields := range [][]string{nil, packed, html, {"If-None-Match", "*"}, {"Range", "bytes=0-3"}, {"Origin", "https://other.example.com"}, {"Cookie", ticketCookie + "=broken"}} {
					if method == "POST" && strings.HasSuffix(path, "join") {
						continue // each gets another ticket
					}
					got := map[string]string{}
					for range 5 { // another instant has another status
						for name, client := range clients {
							got[name] = wired(t, client, method, path, fields)
						}
						if got["lane"] == got["ordinary"] {
							break
						}
					}
					if got["lane"] != got["ordinary"] {
						t.Errorf("%s %s %q, HTTP/2 %t:\nlane     %s\nordinary %s", method, path, fields, two, got["lane"], got["ordinary"])
					}
				}
			}
		}
	}
}

// wired asks and says what came over the wire, but for the instant.
func wired(t *testing.T, client *http.Transport, method, path string, fields []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "https://"+host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = path // as it is
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if len(resp.Header["Date"]) != 1 {
		t.Errorf("%s %s: %d dates", method, path, len(resp.Header["Date"]))
	}
	var said strings.Builder
	fmt.Fprint(&said, http.StatusText(resp.StatusCode), " ", resp.ContentLength >= 0, " ", resp.Close, " ", err)
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		switch name {
		case "Date", "Age", "Retry-After", "Server-Timing", "Set-Cookie":
			fmt.Fprint(&said, " ", name)
		default:
			fmt.Fprintf(&said, " %s=%q", name, resp.Header[name])
		}
	}
	if resp.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		packed, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(packed)
		}
		if err != nil {
			t.Errorf("%s %s: unpack: %v", method, path, err)
		}
	}
	return passing.ReplaceAllString(said.String()+" "+string(body), "#")
}

// passing is what another instant, or another ticket, says otherwise.
var passing = regexp.MustCompile(`[0-9]+(:[0-9]+)*|[A-Za-z0-9_-]{40,}`)
