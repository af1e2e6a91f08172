package certs_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

const shop = "shop.example.com"

// stand is a keeper with the two listeners that it is for.
type stand struct {
	*certs.Keeper
	t     *testing.T
	https string
	reg   *prometheus.Registry
	said  *observer.ObservedLogs
	stop  func() // and wait
}

// plot is what a stand is made of.
type plot struct {
	cfg    configs.Config
	rdb    redis.UniversalClient
	rhythm *certs.Rhythm
	idle   bool // it is not run
}

func play(t *testing.T, p plot) *stand {
	t.Helper()
	if p.cfg.DataDir == "" {
		p.cfg.DataDir = dataDir(t)
	}
	if p.cfg.Secrets == nil {
		p.cfg.Secrets = []configs.Secret{configs.NewSecret(secret)}
	}
	if p.cfg.Listen.HTTPS == "" {
		p.cfg.Listen.HTTPS = testserver.FreeAddress(t)
	}
	rhythm := certs.Fast()
	if p.rhythm != nil {
		rhythm = *p.rhythm
	}
	core, said := observer.New(zap.DebugLevel)
	s := &stand{t: t, https: p.cfg.Listen.HTTPS, reg: prometheus.NewRegistry(), said: said}
	var err error
	if s.Keeper, err = certs.NewWith(&p.cfg, p.rdb, s.reg, zap.New(core), rhythm); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	serve := func(address string, h http.Handler, wrap func(net.Listener) net.Listener) func() {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: h, ErrorLog: zap.NewStdLog(zap.NewNop())}
		all.Go(func() { _ = server.Serve(wrap(l)) })
		return func() { _ = server.Close() }
	}
	closers := []func(){serve(s.https, next, func(l net.Listener) net.Listener { return tls.NewListener(l, s.TLS()) })}
	if p.cfg.Listen.HTTP != "" {
		closers = append(closers, serve(p.cfg.Listen.HTTP, s.Challenges(next), func(l net.Listener) net.Listener { return l }))
	}
	ctx, cancel := context.WithCancel(context.Background())
	if !p.idle {
		all.Go(func() {
			if err := s.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	s.stop = sync.OnceFunc(func() {
		cancel()
		for _, c := range closers {
			c()
		}
		all.Wait()
	})
	t.Cleanup(s.stop)
	return s
}

// dataDir is a folder into which certmagic may still write when the test is over:
// its own attempts end on their own time.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "waitroom-certs-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// peer is the certificate that a name gets; nil: the handshake is refused.
func (s *stand) peer(name string) *x509.Certificate {
	c, err := s.dial(&tls.Config{ServerName: name})
	if err != nil {
		return nil
	}
	return c.PeerCertificates[0]
}

// dial makes a handshake, reads what comes after it, and hangs up.
func (s *stand) dial(c *tls.Config) (tls.ConnectionState, error) {
	s.t.Helper()
	c.InsecureSkipVerify = true //nolint:gosec // the issuers are made up
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	conn, err := tls.DialWithDialer(dialer, "tcp", s.https, c)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer func() { _ = conn.Close() }()
	if len(c.NextProtos) == 0 {
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = conn.Write([]byte("GET / HTTP/1.0\r\n\r\n"))
		_, _ = conn.Read(make([]byte, 1)) // session tickets come with it
	}
	return conn.ConnectionState(), nil
}

// until waits for something, and fails when it does not come.
func until(t *testing.T, what string, within time.Duration, is func() bool) {
	t.Helper()
	late := time.Now().Add(within)
	for !is() {
		if time.Now().After(late) {
			t.Fatalf("after %v not: %s", within, what)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// metric is the value of one of a stand's, of a domain.
func (s *stand) metric(name, domain string) float64 {
	s.t.Helper()
	families, err := s.reg.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == domain {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return -1
}

// ordering is a configuration of an edge that orders from an issuer.
func ordering(t *testing.T, issuer *testserver.Issuer, domains ...string) configs.Config {
	t.Helper()
	directory, err := url.Parse(issuer.Directory)
	if err != nil {
		t.Fatal(err)
	}
	return configs.Config{
		TLS:    configs.TLS{Mode: configs.TLSACME, Domains: domains, Email: "ops@example.org", CA: directory, CARoot: issuer.Root},
		Listen: configs.Listen{HTTPS: issuer.TLS},
	}
}
