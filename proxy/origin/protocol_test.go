package origin_test

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/origin"
)

var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		w.Header().Set("Upgrade", r.Header.Get("Upgrade"))
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
		return
	}
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s %s %s %s %s", r.Proto, r.Host, r.Method, r.RequestURI, body)
})

// TestProtocols: each kind of address is spoken to as it says, and what only
// HTTP/1.1 can carry goes over that.
func TestProtocols(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(echo)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	old := httptest.NewTLSServer(echo)
	defer old.Close()
	roots := filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(roots, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	prior := &http.Server{Handler: echo, Protocols: new(http.Protocols)}
	prior.Protocols.SetUnencryptedHTTP2(true)
	prior.Protocols.SetHTTP1(true)
	socket := filepath.Join(t.TempDir(), "shop.sock")
	for network, addr := range map[string]string{"unix": socket, "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(network, addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() { _ = prior.Serve(l) }()
		if network == "tcp" {
			prior.Addr = l.Addr().String()
		}
	}
	for address, proto := range map[string]string{
		secure.URL: "HTTP/2.0", old.URL: "HTTP/1.1", "h2c://" + prior.Addr: "HTTP/2.0",
		"http://" + prior.Addr: "HTTP/1.1", "unix://" + socket: "HTTP/1.1",
	} {
		p := poolOf(t, configs.Origin{Timeout: 10 * time.Second, CARoot: roots}, address)
		for range 2 {
			_, body, err := do(p, request(t, http.MethodPost, "/a%2Fb?", "qty=1"))
			if want := proto + " shop.example.com POST /a%2Fb? qty=1"; err != nil || body != want {
				t.Errorf("%s: got %q, %v; want %q", address, body, err, want)
			}
		}
		resp, err := p.RoundTrip(request(t, http.MethodGet, "/ws", "", "Connection", "Upgrade", "Upgrade", "websocket"))
		if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("%s: an upgrade: %v, %v", address, resp, err)
			continue
		}
		if _, ok := resp.Body.(io.ReadWriteCloser); !ok {
			t.Errorf("%s: an upgraded connection cannot be written", address)
		}
		_ = resp.Body.Close()
	}
}

// TestVouching: https is spoken to nobody who is not vouched for under the name
// that the file says.
func TestVouching(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(echo)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	roots := filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(roots, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]*origin.Pool{
		"a CA that nobody named": pool(t, s.URL),
		"another name":           poolOf(t, configs.Origin{Timeout: time.Second, CARoot: roots}, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)),
	} {
		_, _, err := do(p, request(t, http.MethodGet, "/", ""))
		if err == nil || !strings.Contains(err.Error(), "handshake with origin") {
			t.Errorf("%s: got %v, want a handshake that fails", what, err)
		}
	}
	if err := os.WriteFile(roots, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{roots, roots + ".gone"} {
		if _, err := origin.New(configs.Origin{CARoot: file}, zap.NewNop()); err == nil || !strings.HasPrefix(err.Error(), "origin.ca_root: ") {
			t.Errorf("%s: got %v, want a fault of origin.ca_root", file, err)
		}
	}
}

// TestSharedConnection: requests to a server that speaks HTTP/2 share one
// connection, also those that come while it is opened.
func TestSharedConnection(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	conns := 0
	s := httptest.NewUnstartedServer(echo)
	s.EnableHTTP2 = true
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateNew {
			conns++
		}
	}
	s.TLS = &tls.Config{}
	s.StartTLS()
	defer s.Close()
	roots := filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(roots, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	p := poolOf(t, configs.Origin{Timeout: 10 * time.Second, CARoot: roots}, s.URL)
	var crowd sync.WaitGroup
	for range 50 {
		crowd.Go(func() {
			if _, _, err := do(p, request(t, http.MethodGet, "/", "")); err != nil {
				t.Error(err)
			}
		})
	}
	crowd.Wait()
	mu.Lock()
	defer mu.Unlock()
	if conns != 1 {
		t.Errorf("%d connections were opened, want 1", conns)
	}
}
