package listen_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/listen"
)

// house is a Greeter with servers behind it that say what they see.
type house struct {
	t       *testing.T
	greeter *listen.Greeter
	at      string
	conns   *listen.Connections
	lane    *express.Lane // nil: none
	http1   *http.Server
	refused func(bound string) int
}

// certificate is one for nobody in particular.
func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"shop.example.com"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// build opens a house, over TLS or plain, that trusts the peers of these tests or
// nobody.
func build(t *testing.T, secure, trusted bool, handler http.Handler) *house {
	t.Helper()
	var config *tls.Config
	if secure {
		config = &tls.Config{Certificates: []tls.Certificate{certificate(t)}, NextProtos: []string{"h2", "http/1.1"}}
	}
	return buildWith(t, config, trusted, handler)
}

func (h *house) open(config *tls.Config, trusted bool, handler http.Handler) {
	t := h.t
	t.Helper()
	terms := listen.Terms{Header: 32 << 10}
	if trusted {
		terms.Proxies, terms.Announced = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, true
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.at = l.Addr().String()
	h.greeter = listen.NewGreeter(l.(*net.TCPListener), config, terms, h.conns, h.lane, func(string) {}, zap.NewNop())
	if handler == nil {
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, "%s %s", r.Proto, r.RemoteAddr)
		})
	}
	state := func(c net.Conn, s http.ConnState) {
		switch s {
		case http.StateActive:
			h.conns.Busy(c, true)
		case http.StateNew, http.StateIdle:
			h.conns.Busy(c, false)
		}
	}
	h.http1 = &http.Server{Handler: handler, ConnState: state}
	http2 := &http.Server{Handler: handler, ConnState: state, Protocols: &http.Protocols{}}
	http2.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error, 3)
	go func() { ended <- h.greeter.Run(context.Background()) }()
	go func() { _ = h.http1.Serve(h.greeter.Exit(listen.HTTP1)); ended <- nil }()
	go func() { _ = http2.Serve(h.greeter.Exit(listen.HTTP2)); ended <- nil }()
	t.Cleanup(func() {
		if err := h.greeter.Close(); err != nil {
			t.Error(err)
		}
		h.conns.Cut()
		_ = h.http1.Close()
		_ = http2.Close()
		for range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}

func (h *house) dial() net.Conn {
	h.t.Helper()
	c, err := net.Dial("tcp", h.at)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

const get = "GET / HTTP/1.1\r\nHost: shop.example.com\r\n\r\n"

// ask sends a request over what is connected and says what came.
func ask(c net.Conn) (string, error) {
	if _, err := io.WriteString(c, get); err != nil {
		return "", err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", string(body)), err
}

// header is a PROXY header.
func header(t *testing.T, version byte, transport proxyproto.AddressFamilyAndProtocol, from, to net.Addr) string {
	t.Helper()
	h := proxyproto.Header{Version: version, Command: proxyproto.PROXY, TransportProtocol: transport, SourceAddr: from, DestinationAddr: to}
	b, err := h.Format()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestGreeter_ProxyHeader: the client is whom a trusted proxy says; one that says
// nothing is not served, and of strangers it is no header at all.
func TestGreeter_ProxyHeader(t *testing.T) {
	t.Parallel()
	four, to4 := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 4711}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
	six, to6 := &net.TCPAddr{IP: net.ParseIP("2001:db8::7"), Port: 4711}, &net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 443}
	unix := &net.UnixAddr{Name: "/run/client", Net: "unix"}
	local := "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"
	const own = "127.0.0.1:"
	for name, test := range map[string]struct {
		trusted bool
		said    string
		want    string // how the address begins; empty: not served
	}{
		"version 1":                    {true, header(t, 1, proxyproto.TCPv4, four, to4), "203.0.113.7:4711"},
		"version 1, IPv6":              {true, header(t, 1, proxyproto.TCPv6, six, to6), "[2001:db8::7]:4711"},
		"version 2":                    {true, header(t, 2, proxyproto.TCPv4, four, to4), "203.0.113.7:4711"},
		"version 2, IPv6":              {true, header(t, 2, proxyproto.TCPv6, six, to6), "[2001:db8::7]:4711"},
		"version 1, unknown":           {true, "PROXY UNKNOWN\r\n", own},
		"version 2, unix":              {true, header(t, 2, proxyproto.UnixStream, unix, unix), own},
		"version 2, the proxy's own":   {true, local, own},
		"version 2, unspecified":       {true, "\r\n\r\n\x00\r\nQUIT\n\x21\x00\x00\x00", own},
		"the same, with more":          {true, "\r\n\r\n\x00\r\nQUIT\n\x21\x00\x00\x03abc", own},
		"the same, with too much":      {true, "\r\n\r\n\x00\r\nQUIT\n\x21\x00\xff\xff" + strings.Repeat("a", 0xffff), ""},
		"nothing":                      {true, "", ""},
		"datagrams":                    {true, header(t, 2, proxyproto.UDPv4, &net.UDPAddr{IP: four.IP, Port: 1}, &net.UDPAddr{IP: to4.IP, Port: 1}), ""},
		"garbage behind the signature": {true, "\r\n\r\n\x00\r\nQUIT\n\xff\xff\xff\xff", ""},
		"a line too long":              {true, "PROXY TCP4 " + strings.Repeat("1", 200) + "\r\n", ""},
		"a stranger's":                 {false, header(t, 1, proxyproto.TCPv4, four, to4), ""},
		"a stranger's, version 2":      {false, header(t, 2, proxyproto.TCPv4, four, to4), ""},
		"a stranger, nothing":          {false, "", own},
	} {
		for _, secure := range []bool{true, false} {
			h := build(t, secure, test.trusted, nil)
			c := h.dial()
			_, _ = io.WriteString(c, test.said)
			if secure {
				c = tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // a house of this test
			}
			got, err := ask(c)
			served := err == nil && strings.HasPrefix(got, "200 HTTP/1.1 ")
			if served != (test.want != "") || served && !strings.HasPrefix(got, "200 HTTP/1.1 "+test.want) {
				t.Errorf("%s, TLS %v: got %q, %v, want %q", name, secure, got, err, test.want)
			}
		}
	}
}

// TestGreeter_ProxyHeaderInPieces: a header of either version may come byte by byte.
func TestGreeter_ProxyHeaderInPieces(t *testing.T) {
	t.Parallel()
	from, to := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 4711}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
	for _, version := range []byte{1, 2} {
		c := build(t, false, true, nil).dial()
		for _, b := range []byte(header(t, version, proxyproto.TCPv4, from, to)) {
			_, _ = c.Write([]byte{b})
			time.Sleep(2 * time.Millisecond) // that each is a segment of its own
		}
		if got, err := ask(c); got != "200 HTTP/1.1 203.0.113.7:4711" {
			t.Errorf("version %d: got %q, %v, want the client's address", version, got, err)
		}
	}
}

// TestGreeter_DawdlersHoldNobodyUp: who never ends a handshake costs others nothing,
// and is closed in the end.
func TestGreeter_DawdlersHoldNobodyUp(t *testing.T) {
	t.Parallel()
	h := build(t, true, false, nil)
	begun := time.Now()
	var dawdlers []net.Conn
	for range 300 {
		c := h.dial()
		_, _ = c.Write([]byte{0x16, 3, 1, 2, 0, 1}) // the beginning of a hello
		dawdlers = append(dawdlers, c)
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	resp, err := client.Get("https://" + h.at)
	if err != nil || resp.ProtoMajor != 2 {
		t.Fatalf("got %v, %v, want an answer over HTTP/2", resp, err)
	}
	_ = resp.Body.Close()
	client.CloseIdleConnections()
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("it took %v, want no wait for others", took)
	}
	for _, c := range dawdlers {
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Fatalf("a dawdler's connection ended with %v, want its end", err)
		}
	}
	if took := time.Since(begun); took > 18*time.Second {
		t.Errorf("dawdlers were closed after %v, want ten seconds", took)
	}
}

// TestGreeter_NoReset: who still sends when the server closes reads the answer to its
// end.
func TestGreeter_NoReset(t *testing.T) {
	t.Parallel()
	answer := strings.Repeat("no", 20_000)
	for _, secure := range []bool{true, false} {
		h := build(t, secure, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			_, _ = io.WriteString(w, answer)
		}))
		for range 20 {
			c := h.dial()
			if secure {
				c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
			}
			// A second request that nobody will answer is on its way when the first one is.
			if _, err := io.WriteString(c, get+get+get); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
			_, _ = io.WriteString(c, get)
			got, err := io.ReadAll(c)
			if err != nil || bytes.Count(got, []byte("HTTP/1.1 200")) != 1 || !bytes.HasSuffix(got, []byte("no\r\n0\r\n\r\n")) {
				t.Fatalf("TLS %v: got %d bytes, %v, want one whole answer and the end", secure, len(got), err)
			}
		}
	}
}

// TestGreeter_PlainWhereTLSIsSpoken says so.
func TestGreeter_PlainWhereTLSIsSpoken(t *testing.T) {
	t.Parallel()
	got, err := ask(build(t, true, false, nil).dial())
	if err != nil || !strings.HasPrefix(got, "400 ") {
		t.Errorf("got %q, %v, want 400", got, err)
	}
}

// TestGreeter_Leave: what waits in the queue is served, over HTTP/2 too, and then the
// port is closed.
func TestGreeter_Leave(t *testing.T) {
	t.Parallel()
	h := build(t, false, false, nil)
	var waiting []net.Conn
	for range 200 {
		waiting = append(waiting, h.dial())
	}
	h.greeter.Leave(false)
	for i, c := range waiting {
		if got, err := ask(c); err != nil {
			t.Fatalf("number %d: got %q, %v, want an answer", i, got, err)
		}
	}
	for stop := time.Now().Add(5 * time.Second); ; {
		c, err := net.Dial("tcp", h.at)
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Now().After(stop) {
			t.Fatal("the port is open, want it closed")
		}
	}
}

// TestGreeter_CiphersOfHTTP2: a weak one is not spoken over HTTP/2, a good one is, of
// TLS 1.2 too.
func TestGreeter_CiphersOfHTTP2(t *testing.T) {
	t.Parallel()
	h := build(t, true, false, nil)
	for suite, want := range map[uint16]bool{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: false, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: true, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true} {
		client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}}}}
		resp, err := client.Get("https://" + h.at)
		if err == nil {
			_ = resp.Body.Close()
		}
		if got := err == nil && resp.ProtoMajor == 2; got != want {
			t.Errorf("%s: served %v, %v, want %v", tls.CipherSuiteName(suite), got, err, want)
		}
		client.CloseIdleConnections()
	}
}
