package wiring_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const token = "the-token-of-these-tests"

// write puts the files of an embedded waitroom into a folder and loads them:
// more are lines of the operator's file.
func write(t *testing.T, dir, more string, sales ...string) *configs.Config {
	t.Helper()
	if !strings.Contains(more, "tls: ") {
		more += "tls: {mode: internal}\n"
	}
	save(t, filepath.Join(dir, "waitroom.yaml"), `origin: {url: 'http://127.0.0.1:1'}
data_dir: data
secret: 'the-secret-of-these-tests, 32 bytes or more'
sales: ['sales/*.yaml']
`+more)
	for _, sale := range sales {
		save(t, filepath.Join(dir, "sales", sale+".yaml"), fmt.Sprintf(`sale: %[1]s
title: A toy
timezone: UTC
doors: 2098-11-27 09:30
opens: 2098-11-27 10:00
closes: 2098-11-27 12:00
product_page: /toys/%[1]s
buy: POST /toys/%[1]s/buy
checkout: /checkout?reservation={reservation}
stock: 100
admit: 2000/s
`, sale))
	}
	cfg, err := wiring.Load(filepath.Join(dir, "waitroom.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func save(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// status asks and gives the code of the answer.
func status(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // an edge of this test
	}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode
}

// provesItself is for whom the certificate is that an edge shows.
func provesItself(t *testing.T, edge *wiring.Edge, name string) string {
	t.Helper()
	c, err := tls.Dial("tcp", edge.Addr().String(), &tls.Config{ServerName: name, InsecureSkipVerify: true}) // an edge of this test
	if err != nil {
		return err.Error()
	}
	defer func() { _ = c.Close() }()
	return strings.Join(c.ConnectionState().PeerCertificates[0].DNSNames, " ")
}

// TestEdge_ProvesItselfAsBefore: a configuration of which the certificates are good and
// the origin is not changes no certificate either.
func TestEdge_ProvesItselfAsBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, filepath.Join(dir, "root.pem"), "none")
	lines := func(name string) string {
		chain, key := testserver.WritePair(t, t.TempDir(), testserver.SelfSigned(t, name))
		return fmt.Sprintf("listen: {https: '127.0.0.1:0', http: off, admin: off}\ntls: {mode: files, domains: [%s], files: [{cert: '%s', key: '%s'}]}\n", name, chain, key)
	}
	edge, err := wiring.NewEdge(t.Context(), write(t, dir, lines("a.test"), "golden"), math.MaxUint64, 0, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- edge.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("got %v from Run, want nil", err)
		}
	}()
	next := write(t, dir, lines("b.test"), "golden")
	next.Origin.CARoot = filepath.Join(dir, "root.pem")
	if err := edge.Apply(next); err == nil || !strings.Contains(err.Error(), "origin.ca_root") {
		t.Errorf("got %v, want the fault of origin.ca_root", err)
	}
	if got := provesItself(t, edge, "a.test"); got != "a.test" {
		t.Errorf("after the fault a.test gets %q, want its certificate", got)
	}
	next.Origin.CARoot = ""
	if err := edge.Apply(next); err != nil {
		t.Fatal(err)
	}
	if got := provesItself(t, edge, "b.test"); got != "b.test" {
		t.Errorf("once it is mended b.test gets %q, want its certificate", got)
	}
}

// TestEdge_AppliesAllOrNothing: with a certificate that cannot be read, neither
// the edge nor its worker knows the new sale; with one that can, both do.
func TestEdge_AppliesAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const listen = "listen: {https: '127.0.0.1:0', http: off, admin: off}\nworker: {listen: '127.0.0.1:0', token: '" + token + "'}\n"
	edge, err := wiring.NewEdge(t.Context(), write(t, dir, listen, "golden"), math.MaxUint64, 0, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- edge.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("got %v from Run, want nil", err)
		}
	}()
	known := func(sale string) [2]bool {
		return [2]bool{ // a sale that was not looked at yet is known, and its status a 503
			status(t, "https://"+edge.Addr().String()+"/.waitroom/"+sale+"/status") != http.StatusNotFound,
			status(t, "http://"+edge.Worker().Addr().String()+"/v1/sales/"+sale+"/reconcile") != http.StatusNotFound,
		}
	}

	ca := filepath.Join(dir, "data", "internal-ca.pem")
	whole, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	next := write(t, dir, listen, "golden", "silver")
	save(t, ca, "torn")
	if err := edge.Apply(next); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want the certificate's fault", err)
	}
	if got, want := known("silver"), [2]bool{false, false}; got != want {
		t.Errorf("after the fault: edge and worker know it %v, want %v", got, want)
	}
	save(t, ca, string(whole))
	if err := edge.Apply(next); err != nil {
		t.Fatal(err)
	}
	if got, want := known("silver"), [2]bool{true, true}; got != want {
		t.Errorf("once it can be read: edge and worker know it %v, want %v", got, want)
	}
}

// isFree reports whether an address can be listened at. Others on the machine may have
// its port for a while: their connections get free ones.
func isFree(addr string) bool {
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if l, err := net.Listen("tcp", addr); err == nil {
			return l.Close() == nil
		}
	}
	return false
}

// TestEdge_LeavesNothingOpen: neither a start that failed nor an edge that was
// closed before it ran keeps a port.
func TestEdge_LeavesNothingOpen(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	https, worker := testserver.FreeAddress(t), testserver.FreeAddress(t)
	lines := func(admin string) string {
		return fmt.Sprintf("listen: {https: '%s', http: off, admin: '%s'}\nworker: {listen: '%s', token: '%s'}\n", https, admin, worker, token)
	}
	if edge, err := wiring.NewEdge(t.Context(), write(t, t.TempDir(), lines(taken.Addr().String()), "golden"), math.MaxUint64, 0, zap.NewNop()); err == nil || edge != nil {
		t.Fatalf("got %v and %v with a port in use, want no edge and an error", edge, err)
	}
	if !isFree(https) || !isFree(worker) {
		t.Errorf("after a failed start: https free %v, worker free %v, want both", isFree(https), isFree(worker))
	}
	edge, err := wiring.NewEdge(t.Context(), write(t, t.TempDir(), lines("127.0.0.1:0"), "golden"), math.MaxUint64, 0, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := edge.Close(); err != nil {
			t.Errorf("got %v from Close, want nil", err)
		}
	}
	if !isFree(https) || !isFree(worker) {
		t.Errorf("after Close: https free %v, worker free %v, want both", isFree(https), isFree(worker))
	}
}

// TestEdge_StoppedWhileItTakesOver: a successor that is told to stop when its
// predecessor leaves for it serves who waits before it ends: nobody else would.
func TestEdge_StoppedWhileItTakesOver(t *testing.T) {
	t.Parallel()
	dir, address := t.TempDir(), testserver.FreeAddress(t)
	cfg := write(t, dir, "listen: {https: '"+address+"', http: off, admin: off}\n", "golden")
	stopped, stop := context.WithCancel(t.Context())
	defer stop()
	answers := make(chan string, 1)
	ask := func(raw net.Conn) {
		c := tls.Client(raw, &tls.Config{InsecureSkipVerify: true}) // an edge of this test
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, "GET /.waitroom/golden/status HTTP/1.1\r\nHost: shop.example.com\r\nConnection: close\r\n\r\n")
		answer, _ := io.ReadAll(c)
		answers <- string(answer)
	}
	leaves := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"}), zapcore.AddSync(io.Discard), zapcore.InfoLevel),
		zap.Hooks(func(e zapcore.Entry) error {
			if strings.HasPrefix(e.Message, "another instance has taken over") {
				stop()
			}
			return nil
		}))
	first, err := wiring.NewEdge(t.Context(), cfg, math.MaxUint64, 0, leaves)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { ended <- first.Run(t.Context()) }()
	for stop := time.Now().Add(10 * time.Second); !exists(filepath.Join(cfg.DataDir, "successor.sock")) && time.Now().Before(stop); {
		time.Sleep(10 * time.Millisecond)
	}
	next, err := wiring.NewEdge(stopped, cfg, math.MaxUint64, 0, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	if stopped.Err() == nil {
		t.Fatal("it was not told to stop while it took over")
	}
	raw, err := net.Dial("tcp", address) // the first one does not accept any more
	if err != nil {
		t.Fatal(err)
	}
	go ask(raw)
	go func() { ended <- next.Run(stopped) }()
	if got := <-answers; !strings.HasPrefix(got, "HTTP/1.1 ") {
		t.Errorf("who waited got %q, want an answer", got)
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("got %v from Run, want nil", err)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
