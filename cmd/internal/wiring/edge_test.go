package wiring_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const token = "the-token-of-these-tests"

// write puts the files of an embedded waitroom into a folder and loads them:
// more are lines of the operator's file.
func write(t *testing.T, dir, more string, sales ...string) *configs.Config {
	t.Helper()
	save(t, filepath.Join(dir, "waitroom.yaml"), `tls: {mode: internal}
origin: {url: 'http://127.0.0.1:1'}
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

// TestEdge_AppliesAllOrNothing: with a certificate that cannot be read, neither
// the edge nor its worker knows the new sale; with one that can, both do.
func TestEdge_AppliesAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const listen = "listen: {https: '127.0.0.1:0', http: off, admin: off}\nworker: {listen: '127.0.0.1:0', token: '" + token + "'}\n"
	edge, err := wiring.NewEdge(t.Context(), write(t, dir, listen, "golden"), 0, zap.NewNop())
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

// isFree reports whether an address can be listened at.
func isFree(addr string) bool {
	l, err := net.Listen("tcp", addr)
	return err == nil && l.Close() == nil
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
	if edge, err := wiring.NewEdge(t.Context(), write(t, t.TempDir(), lines(taken.Addr().String()), "golden"), 0, zap.NewNop()); err == nil || edge != nil {
		t.Fatalf("got %v and %v with a port in use, want no edge and an error", edge, err)
	}
	if !isFree(https) || !isFree(worker) {
		t.Errorf("after a failed start: https free %v, worker free %v, want both", isFree(https), isFree(worker))
	}
	edge, err := wiring.NewEdge(t.Context(), write(t, t.TempDir(), lines("127.0.0.1:0"), "golden"), 0, zap.NewNop())
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
