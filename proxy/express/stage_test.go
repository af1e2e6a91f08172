package express_test

import (
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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/express"
)

const most = 32 << 10 // bytes of a head

// desk has an answer of n bytes for /ready/n.
type desk struct {
	asked, wrote, back atomic.Int64
	mu                 sync.Mutex
	last               string // the request that was answered last, in words
	ready              sync.Map
}

func (d *desk) Answer(r *express.Request) *express.Answer {
	d.asked.Add(1)
	size, is := strings.CutPrefix(r.Target, "/ready/")
	if !is || r.Method != "GET" && r.Method != "HEAD" {
		return nil
	}
	d.say(r)
	if a, ok := d.ready.Load(size); ok {
		return a.(*express.Answer)
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		return nil
	}
	a := answerOf(n)
	d.ready.Store(strings.Clone(size), a)
	return a
}

func (d *desk) say(r *express.Request) {
	if !strings.Contains(r.Target, "0001") {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = fmt.Sprint(r.Method, " ", r.Authority, " ", r.Target, " ", r.HTTP2, " ", r.ServerName, " ", r.Fields)
}

func (d *desk) Done(_ *express.Request, _ *express.Answer, body int) {
	if body < 0 {
		d.back.Add(1)
		return
	}
	d.wrote.Add(1)
}

func answerOf(n int) *express.Answer {
	length := strconv.Itoa(n)
	a := &express.Answer{Status: 200, Body: []byte(strings.Repeat("x", n))}
	a.Head1 = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Lane: express\r\nContent-Length: " + length + "\r\n")
	a.Head2 = literal([]byte{0x88}, "content-type", "text/plain")
	a.Head2 = literal(literal(a.Head2, "x-lane", "express"), "content-length", length)
	return a
}

// literal appends a field that no table keeps.
func literal(to []byte, name, value string) []byte {
	to = append(append(to, 0, byte(len(name))), name...)
	return append(append(to, byte(len(value))), value...)
}

// server answers what does not lie ready: /body/n with n bytes, /echo with the body that
// it gets, and everything else with what it sees.
func server(w http.ResponseWriter, r *http.Request) {
	switch size, is := strings.CutPrefix(r.URL.Path, "/body/"); {
	case is:
		n, _ := strconv.Atoi(size)
		w.Header().Set("Content-Length", size)
		for ; n > 0; n -= min(n, 8<<10) {
			_, _ = io.WriteString(w, strings.Repeat("y", min(n, 8<<10)))
		}
	case r.URL.Path == "/slow":
		time.Sleep(time.Second)
	case r.URL.Path == "/echo":
		w.WriteHeader(http.StatusOK)
		_, _ = io.Copy(w, r.Body)
	case r.URL.Path == "/hijack":
		c, rw, _ := http.NewResponseController(w).Hijack()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
		go func() { _, _ = io.Copy(c, rw); _ = c.Close() }()
	default:
		_, _ = fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.Host, r.URL, r.Header.Get("X-One"), r.Header.Values("Cookie"))
	}
}

// stage is a lane behind a socket, and servers behind the lane.
type stage struct {
	t       testing.TB
	at      string
	desk    *desk
	served  atomic.Int64 // connections that a server got
	stirred atomic.Int64
	refused sync.Map // reasons
	leaving atomic.Bool
	times   express.Times
	conns   chan net.Conn // over HTTP/2, as they come
}

func newStage(t testing.TB, with func(*stage)) *stage {
	t.Helper()
	s := &stage{t: t, desk: &desk{}, times: express.Times{Head: 5 * time.Second, Idle: 20 * time.Second, Write: 5 * time.Second}, conns: make(chan net.Conn, 100)}
	if with != nil {
		with(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.at = l.Addr().String()
	config := &tls.Config{Certificates: []tls.Certificate{certificate(t)}, NextProtos: []string{"h2", "http/1.1"}}
	lane := express.New(s.desk, s.times, 128, s.leaving.Load)
	one, two := s.servers(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.bring(lane, tls.Server(c, config), one, two)
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return s
}

func (s *stage) bring(lane *express.Lane, c *tls.Conn, one, two chan net.Conn) {
	if c.Handshake() != nil {
		_ = c.Close()
		return
	}
	refused := func(reason string) { s.refused.Store(reason, true) }
	state := c.ConnectionState()
	if state.NegotiatedProtocol == "h2" {
		h := lane.HTTP2(c, state.ServerName, most, refused, func(h *express.HTTP2) express.Place { return place{h, s} })
		s.conns <- h
		if h.Await() != nil {
			_ = h.Close()
			return
		}
		s.served.Add(1)
		two <- h
		return
	}
	h := lane.HTTP1(c, state.ServerName, most, refused, func(h *express.HTTP1) express.Place { return place{h, s} })
	if h.Await() != nil {
		_ = h.Close()
		return
	}
	s.served.Add(1)
	one <- h
}

type place struct {
	net.Conn
	s *stage
}

func (p place) Stirred(time.Time) { p.s.stirred.Add(1) }

// servers are net/http's, as the product has them.
func (s *stage) servers(t testing.TB) (one, two chan net.Conn) {
	one, two = make(chan net.Conn), make(chan net.Conn)
	for i, from := range []chan net.Conn{one, two} {
		protocols := &http.Protocols{}
		protocols.SetHTTP1(i == 0)
		protocols.SetUnencryptedHTTP2(i == 1)
		server := &http.Server{
			Handler: http.HandlerFunc(server), Protocols: protocols, MaxHeaderBytes: most, ReadHeaderTimeout: s.times.Head,
			IdleTimeout: []time.Duration{s.times.Idle, time.Hour}[i], WriteTimeout: 30 * time.Second, DisableGeneralOptionsHandler: true,
			HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 128, MaxReadFrameSize: 16384},
			ConnState: func(c net.Conn, state http.ConnState) {
				if h, ok := c.(interface{ Release() }); ok && state == http.StateHijacked {
					h.Release()
				}
			},
		}
		go func() { _ = server.Serve(listener{from, make(chan struct{}), new(sync.Once)}) }()
		t.Cleanup(func() { _ = server.Close() })
	}
	return one, two
}

type listener struct {
	from chan net.Conn
	done chan struct{}
	once *sync.Once
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.from:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}
func (listener) Addr() net.Addr { return &net.TCPAddr{} }

// dial is a client that speaks a protocol.
func (s *stage) dial(spoken string) *tls.Conn {
	s.t.Helper()
	c, err := tls.Dial("tcp", s.at, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{spoken}, ServerName: "shop.example.com"})
	if err != nil {
		s.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

func certificate(t testing.TB) tls.Certificate {
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
