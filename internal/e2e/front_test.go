package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/shop"
)

const (
	shopName = "shop.test"
	hookKey  = "the key that the payment provider signs with"
)

// whole reports whether what takes long is done in full: WAITROOM_CLIENTS=whole.
func whole() bool { return os.Getenv("WAITROOM_CLIENTS") == "whole" }

// front is a shop that runs today, and an embedded edge that was put in front of
// it, as an operator would leave it: with its access log, metrics and cache. A
// sale is open.
type front struct {
	*server
	t      *testing.T
	shop   *shop.Shop
	direct string // URL of the shop itself
	admin  string // URL of the edge's admin address
	roots  *x509.CertPool
	ca     string // file of the edge's CA
}

func openFront(t *testing.T) *front { return openFrontOf(t, operator{}) }

// openFrontOf is openFront with an operator's file that says more.
func openFrontOf(t *testing.T, o operator) *front {
	t.Helper()
	dir := t.TempDir()
	f := &front{t: t, shop: shop.New(hookKey), roots: x509.NewCertPool()}
	behind := httptest.NewServer(f.shop)
	t.Cleanup(behind.Close)
	f.direct = behind.URL
	sales := filepath.Join(dir, "sales")
	saleFile{
		opens: time.Now().Add(-time.Minute).Truncate(time.Second), open: time.Hour,
		stock: 1000, rate: 1000, burst: 1000, hold: 10 * time.Minute,
	}.write(t, sales)
	o.name, o.origin, o.sales, o.domains, o.everybody = "embedded", f.direct, sales, []string{shopName}, true
	f.server = newEdge(t, filepath.Join(dir, "edge"), o)
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	f.trust(t, f.roots)
	f.ca = filepath.Join(dir, "edge", "data", "internal-ca.pem")
	f.admin = strings.TrimSuffix(f.ready, "/readyz")
	return f
}

// url is an address of the shop as its customers know it. They find it where the
// edge listens, see client, curl and chrome.
func (f *front) url(target string) string {
	_, port, _ := net.SplitHostPort(f.address)
	return "https://" + shopName + ":" + port + target
}

// client is one that knows the edge's CA, keeps cookies and follows nothing.
func (f *front) client(http2 bool) *http.Client {
	dialer := &net.Dialer{}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, f.address)
		},
		TLSClientConfig:    &tls.Config{RootCAs: f.roots},
		ForceAttemptHTTP2:  http2,
		DisableCompression: true,
	}
	f.t.Cleanup(transport.CloseIdleConnections)
	jar, _ := cookiejar.New(nil) // never fails without options
	return &http.Client{
		Transport: transport, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// reply is an answer that was read to its end.
type reply struct {
	*http.Response
	body string
}

// send sends one request, with fields in pairs.
func (f *front) send(c *http.Client, method, target, body string, fields ...string) reply {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, f.url(target), strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		f.t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatalf("%s %s: read answer: %v", method, target, err)
	}
	return reply{res, string(text)}
}

// records are the access records so far. Every line of the log must be JSON.
func (f *front) records() (found []map[string]any) {
	f.t.Helper()
	for line := range bytes.Lines([]byte(f.Log())) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			f.t.Errorf("a line of the log is not JSON: %v: %.200q", err, line)
		}
		if record["msg"] == "request" {
			found = append(found, record)
		}
	}
	return found
}

// metric is a number that the edge tells of itself: the sum over all series of a
// name whose labels match.
func (f *front) metric(name, labels string) (sum float64) {
	f.t.Helper()
	series := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `(?:\{.*` + labels + `.*\})? (\S+)$`)
	for _, m := range series.FindAllStringSubmatch(f.metrics(), -1) {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			f.t.Fatal(err)
		}
		sum += n
	}
	return sum
}

func (f *front) metrics() string {
	f.t.Helper()
	res, err := patient.Get(f.admin + "/metrics")
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

// bothProtocols runs a test over HTTP/1.1 and over HTTP/2.
func bothProtocols(t *testing.T, test func(t *testing.T, http2 bool)) {
	for _, protocol := range []struct {
		name  string
		http2 bool
	}{{"HTTP1.1", false}, {"HTTP2", true}} {
		t.Run(protocol.name, func(t *testing.T) {
			t.Parallel()
			test(t, protocol.http2)
		})
	}
}

// noTicket fails the test if an answer sets a cookie of ours.
func (r reply) noTicket(t *testing.T) {
	t.Helper()
	for _, line := range r.Header.Values("Set-Cookie") {
		if strings.Contains(line, "__Host-wr") {
			t.Errorf("%s %s: the answer sets %q", r.Request.Method, r.Request.URL.Path, line)
		}
	}
}
