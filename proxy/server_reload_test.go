package proxy_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestServerReload_Header: another bound of a header holds for connections from
// then on, over both protocols; those that are open keep theirs.
func TestServerReload_Header(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	var fields []string // 14 KiB
	var raw strings.Builder
	for i := range 14 {
		fields = append(fields, fmt.Sprint("x-field-", i), strings.Repeat("x", 1<<10))
		_, _ = fmt.Fprintf(&raw, "%s: %s\r\n", fields[2*i], fields[2*i+1])
	}
	old := s.browser()
	old.get("/", fields...).code(t, "before", http.StatusOK)
	first := s.rawConn()
	defer func() { _ = first.Close() }()

	for _, test := range []struct {
		header int64
		want   int
	}{{12 << 10, http.StatusRequestHeaderFieldsTooLarge}, {64 << 10, http.StatusOK}} {
		next := *s.cfg
		next.Limits.Header = test.header
		s.server.Apply(&next)
		w := s.wire(t) // a browser that has heard of the bound does not send more
		w.ask(1, asked(append([]string{":authority", host}, fields...)...), nil, nil)
		if got := w.outcome(1); got != fmt.Sprint(test.want) {
			t.Errorf("over HTTP/2 with a bound of %d: got %s, want %d", test.header, got, test.want)
		}
		resp, _ := s.raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + raw.String() + "Connection: close\r\n\r\n")
		if resp.StatusCode != test.want {
			t.Errorf("over HTTP/1.1 with a bound of %d: got %d, want %d", test.header, resp.StatusCode, test.want)
		}
		old.get("/", fields...).code(t, "on a connection of before", http.StatusOK)
	}
	_, _ = io.WriteString(first, "GET / HTTP/1.1\r\nHost: "+host+"\r\n"+raw.String()+"\r\n")
	if resp, _ := readAnswer(t, first, "GET"); resp.StatusCode != http.StatusOK {
		t.Errorf("over HTTP/1.1 on a connection of before: got %d, want 200", resp.StatusCode)
	}
}

// TestServerReload_ProxyHeader: PROXY headers are asked for from the next
// connection on, and the client that one names is who is told to the shop.
func TestServerReload_ProxyHeader(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	next := *s.cfg
	next.Listen.ProxyProtocol, next.TrustedProxies = true, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s.apply(&next)
	for header, want := range map[string]string{
		"PROXY TCP4 203.0.113.7 192.0.2.1 4711 443": "203.0.113.7",
		"PROXY UNKNOWN": "127.0.0.1", // whoever it is
	} {
		if got := s.toldBehind(header); got != want {
			t.Errorf("after %s the shop is told %q, want %q", header, got, want)
		}
	}
	if _, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: host}); err == nil {
		t.Error("a trusted proxy without a header is served, want the connection closed")
	}
	s.apply(s.cfg)
	s.browser().get("/").code(t, "after it was taken back", http.StatusOK)
}

// toldBehind is what the shop is told of a client behind a PROXY header who says that
// it is another one.
func (s *stage) toldBehind(header string) string {
	s.t.Helper()
	conn, err := s.dial(s.t.Context(), "tcp", "")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, header+"\r\n")
	secure := tls.Client(conn, &tls.Config{RootCAs: s.ca, ServerName: host})
	_, _ = io.WriteString(secure, "GET /seen HTTP/1.1\r\nHost: "+host+"\r\nX-Forwarded-For: 198.51.100.1\r\nConnection: close\r\n\r\n")
	if resp, _ := readAnswer(s.t, secure, "GET"); resp.StatusCode != http.StatusOK {
		s.t.Fatalf("after %s: got %d, want 200", header, resp.StatusCode)
	}
	return s.shop.last(s.t).Header.Get("X-Forwarded-For")
}

// apply puts a configuration into force at edge and server.
func (s *stage) apply(cfg *configs.Config) {
	s.t.Helper()
	if err := s.edge.Apply(cfg); err != nil {
		s.t.Fatal(err)
	}
	s.server.Apply(cfg)
}
