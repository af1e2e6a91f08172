package wiring

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestDialer_EachNodeProvesItsOwnName: not that of the first node of the address,
// which the client of Redis puts into the settings for all.
func TestDialer_EachNodeProvesItsOwnName(t *testing.T) {
	t.Parallel()
	node := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is for 127.0.0.1
	t.Cleanup(node.Close)
	roots := x509.NewCertPool()
	roots.AddCert(node.Certificate())
	dial := dialer(&tls.Config{RootCAs: roots, ServerName: "first-node.example.com"})
	_, port, _ := net.SplitHostPort(node.Listener.Addr().String())
	for host, right := range map[string]bool{"127.0.0.1": true, "localhost": false} {
		conn, err := dial(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			_ = conn.Close()
		}
		if (err == nil) != right {
			t.Errorf("a node called %s: %v, want it taken: %v", host, err, right)
		}
	}
}
