package e2e_test

import (
	"context"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// patience bounds everything here that takes a moment and is not itself the
// thing that is tested.
const patience = time.Minute

// server is one of our programs that serves, at addresses that stay the same
// when it is started again.
type server struct {
	*testserver.Program
	address  string      // of the front door, or of the worker's API
	config   string      // its waitroom.yaml
	ready    string      // URL that tells whether it is
	draining atomic.Bool // it was told to end
	leaving  atomic.Bool // and whoever asks /readyz knows
}

// newServer is not started yet. ready is where it tells that it is.
func newServer(t *testing.T, name, config, address, ready string) *server {
	t.Helper()
	s := &server{address: address, config: config, ready: ready}
	s.Program = testserver.NewProgram(t, func() bool { return answers(ready) }, program(name), "run", "--config", config)
	t.Cleanup(func() {
		if strings.Contains(s.Log(), "DATA RACE") {
			t.Errorf("%s has a data race:\n%s", name, s.Log())
		}
		if t.Failed() {
			t.Logf("the end of the log of %s at %s:\n%s", name, address, tail(s.Log(), 25))
		}
	})
	return s
}

// newEdge writes an operator's file, completed by free addresses, and returns
// the edge that reads it.
func newEdge(t *testing.T, dir string, o operator, args ...string) *server {
	t.Helper()
	o.https, o.admin = testserver.FreeAddress(t), testserver.FreeAddress(t)
	if o.worker == "" {
		o.worker = testserver.FreeAddress(t)
	}
	return newServer(t, "waitroom", o.write(t, dir), o.https, "http://"+o.admin+"/readyz")
}

// newWorker is newEdge for the worker.
func newWorker(t *testing.T, dir string, o operator) *server {
	t.Helper()
	o.https, o.admin = "127.0.0.1:0", "off"
	o.worker = testserver.FreeAddress(t)
	return newServer(t, "orderworker", o.write(t, dir), o.worker, "http://"+o.worker+"/readyz")
}

// start starts a server, again and again like a supervisor: a store may be down
// at the moment.
func (s *server) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := s.Start()
		if err == nil {
			return
		}
		if !pause(ctx, 200*time.Millisecond) {
			t.Errorf("start: %v", err)
			return
		}
	}
}

// trust adds the CA that an edge has made for itself to the pool.
func (s *server) trust(t *testing.T, roots *x509.CertPool) {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(filepath.Dir(s.config), "data", "internal-ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatal("the edge's CA cannot be read")
	}
}

var asker = &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// answers reports whether an address answers with 200.
func answers(url string) bool {
	res, err := asker.Get(url)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// eventually waits until something is so, and fails the test if it never is.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !so() {
		if !pause(ctx, 50*time.Millisecond) {
			t.Fatalf("after %v still not so: %s", patience, what)
		}
	}
}

// pause waits and reports whether ctx let it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func tail(text string, lines int) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
