package e2e_test

//lint:file-ignore SA1019 of a client that never asks twice it must be known what was sent, which net/http keeps to itself

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/net/http2"
)

// traffic is what comes to a shop all day. None of its clients sends anything
// twice: whatever is not answered is a failure. A client that finds its idle
// connection closed before it sends opens another one, as all do.
type traffic struct {
	t     *testing.T
	at    string // address of the front door
	roots *x509.CertPool
	ctx   context.Context
	all   sync.WaitGroup

	asked  sync.Map // *atomic.Int64 by kind
	opened atomic.Int64
	mu     sync.Mutex
	failed []string
}

func newTraffic(t *testing.T, ctx context.Context, at string, roots *x509.CertPool) *traffic {
	return &traffic{t: t, at: at, roots: roots, ctx: ctx}
}

// crowd lets so many clients of a kind ask, together so often a second.
func (tr *traffic) crowd(kind string, n int, perSecond float64, client func() func(context.Context) error) {
	found, _ := tr.asked.LoadOrStore(kind, &atomic.Int64{})
	count := found.(*atomic.Int64)
	pause := time.Duration(float64(n) / perSecond * float64(time.Second))
	for i := range n {
		tr.all.Go(func() {
			ask := client()
			timer := time.NewTimer(pause * time.Duration(i) / time.Duration(n)) // spread
			defer timer.Stop()
			for next := time.Now().Add(pause * time.Duration(i) / time.Duration(n)); ; {
				select {
				case <-tr.ctx.Done():
					return
				case <-timer.C:
				}
				tr.did(kind, ask(context.WithoutCancel(tr.ctx)))
				count.Add(1)
				next = next.Add(pause)
				timer.Reset(max(time.Until(next), 0))
			}
		})
	}
}

func (tr *traffic) did(kind string, err error) {
	if err == nil {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.failed = append(tr.failed, fmt.Sprintf("%s %s: %v", time.Now().Format("15:04:05.000"), kind, err))
}

// report waits for the end and says what came of it.
func (tr *traffic) report(took time.Duration) {
	tr.t.Helper()
	tr.all.Wait()
	total := int64(0)
	tr.asked.Range(func(kind, n any) bool {
		total += n.(*atomic.Int64).Load()
		tr.t.Logf("%-22s %6d", kind, n.(*atomic.Int64).Load())
		return true
	})
	tr.t.Logf("%d requests in %v, %.0f a second, %d connections; %d failed", total, took.Round(time.Second), float64(total)/took.Seconds(), tr.opened.Load(), len(tr.failed))
	for i, f := range tr.failed {
		if i == 20 {
			break
		}
		tr.t.Errorf("failed: %s", f)
	}
	if len(tr.failed) > 0 {
		tr.t.Errorf("%d of %d requests failed, want none", len(tr.failed), total)
	}
}

// dial opens a connection over TLS.
func (tr *traffic) dial(ctx context.Context, protocol string) (*tls.Conn, error) {
	tr.opened.Add(1)
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: tr.roots, ServerName: "localhost", NextProtos: []string{protocol}}}
	c, err := dialer.DialContext(ctx, "tcp", tr.at)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return c.(*tls.Conn), nil
}

// asking bounds one request.
const asking = 40 * time.Second

// line is one connection over HTTP/1.1. What arrives while nothing was asked can
// only be its end.
type line struct {
	conn  *tls.Conn
	in    *bufio.Reader
	heard chan error
}

func (tr *traffic) line(ctx context.Context) (*line, error) {
	c, err := tr.dial(ctx, "http/1.1")
	if err != nil {
		return nil, err
	}
	l := &line{conn: c, in: bufio.NewReader(c)}
	l.listen()
	return l, nil
}

func (l *line) listen() {
	l.heard = make(chan error, 1)
	go func() { _, err := l.in.Peek(1); l.heard <- err }()
}

// ended reports whether the server has closed the connection.
func (l *line) ended() bool {
	select {
	case err := <-l.heard:
		l.heard <- err
		return true
	default:
		return false
	}
}

// ask sends a request and reads its answer to the end, at a pace.
func (l *line) ask(req *http.Request, perSecond int) (last bool, err error) {
	_ = l.conn.SetDeadline(time.Now().Add(asking))
	if err := req.Write(l.conn); err != nil {
		return true, fmt.Errorf("send: %w", err)
	}
	if err := <-l.heard; err != nil {
		return true, fmt.Errorf("wait for the answer: %w", err)
	}
	resp, err := http.ReadResponse(l.in, req)
	if err != nil {
		return true, fmt.Errorf("read the answer: %w", err)
	}
	if err := read(resp, perSecond); err != nil {
		return true, err
	}
	if resp.Close {
		return true, nil
	}
	l.listen()
	return false, nil
}

// read reads an answer, which must be one of those that are right here.
func read(resp *http.Response, perSecond int) error {
	defer resp.Body.Close()
	n := int64(0)
	for {
		m, err := io.CopyN(io.Discard, resp.Body, 16<<10)
		n += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %d bytes of the body: %w", n, err)
		}
		if perSecond > 0 {
			time.Sleep(16 << 10 * time.Second / time.Duration(perSecond))
		}
	}
	if resp.StatusCode >= 500 || resp.ContentLength >= 0 && n != resp.ContentLength {
		return fmt.Errorf("%s with %d of %d bytes", resp.Status, n, resp.ContentLength)
	}
	return nil
}

func (tr *traffic) request(ctx context.Context, method, target string, body io.Reader) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, "https://localhost"+target, body)
	if err != nil {
		panic(err) // all are written here
	}
	return req
}

// kept is a client that keeps its connection.
func (tr *traffic) kept(next func(ctx context.Context) *http.Request) func() func(context.Context) error {
	return func() func(context.Context) error {
		var l *line
		return func(ctx context.Context) (err error) {
			if l == nil || l.ended() {
				if l, err = tr.line(ctx); err != nil {
					l = nil
					return err
				}
			}
			last, err := l.ask(next(ctx), 0)
			if last {
				_ = l.conn.Close()
				l = nil
			}
			return err
		}
	}
}

// fresh is a client that opens a connection for each request.
func (tr *traffic) fresh(perSecond int, next func(ctx context.Context) *http.Request) func() func(context.Context) error {
	return func() func(context.Context) error {
		return func(ctx context.Context) error {
			l, err := tr.line(ctx)
			if err != nil {
				return err
			}
			defer func() { _ = l.conn.Close() }()
			_, err = l.ask(next(ctx), perSecond)
			return err
		}
	}
}

// many is a client that asks over HTTP/2, together with others like it.
func (tr *traffic) many(next func(ctx context.Context) *http.Request) func() func(context.Context) error {
	var mu sync.Mutex
	var conn *http2.ClientConn
	connected := func(ctx context.Context) (*http2.ClientConn, error) {
		mu.Lock()
		defer mu.Unlock()
		if conn != nil && conn.ReserveNewRequest() {
			return conn, nil
		}
		c, err := tr.dial(ctx, "h2")
		if err != nil {
			return nil, err
		}
		if conn, err = (&http2.Transport{}).NewClientConn(c); err != nil {
			return nil, err
		}
		if !conn.ReserveNewRequest() {
			return nil, errors.New("a new connection over HTTP/2 takes no request")
		}
		return conn, nil
	}
	return func() func(context.Context) error {
		return func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, asking)
			defer cancel()
			for {
				c, err := connected(ctx)
				if err != nil {
					return err
				}
				resp, err := c.RoundTrip(next(ctx))
				if err != nil && err.Error() == "http2: client conn not usable" {
					continue // it has heard that streams end here, and sent nothing
				}
				if err != nil {
					return err
				}
				return read(resp, 0)
			}
		}
	}
}

// slowly is a body that takes its time: so many pieces.
type slowly struct {
	left int
	over time.Duration
}

const pieces = 20

func (s *slowly) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(s.over / pieces)
	s.left--
	return copy(b, make([]byte, 4<<10)), nil
}

// sockets holds WebSockets open, each of which must be told when it ends.
func (tr *traffic) sockets(n int) {
	count := &atomic.Int64{}
	tr.asked.Store("messages", count)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: tr.roots, ServerName: "localhost"}, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, tr.at)
	}}}
	for range n {
		tr.all.Go(func() {
			for tr.ctx.Err() == nil {
				tr.did("WebSocket", tr.talk(client, count))
			}
		})
	}
}

// talk is one WebSocket from its opening to its end.
func (tr *traffic) talk(client *http.Client, count *atomic.Int64) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(tr.ctx))
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "wss://localhost/ws", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }()
	for tr.ctx.Err() == nil {
		err := ws.Write(ctx, websocket.MessageText, []byte("hello"))
		if err == nil {
			_, _, err = ws.Read(ctx)
		}
		switch {
		case websocket.CloseStatus(err) == websocket.StatusGoingAway:
			return nil
		case err != nil:
			// Who wrote as the other side said goodbye finds the goodbye.
			if _, _, last := ws.Read(ctx); websocket.CloseStatus(last) == websocket.StatusGoingAway {
				return nil
			}
			return err
		}
		count.Add(1)
		pause(tr.ctx, 200*time.Millisecond)
	}
	return ws.Close(websocket.StatusNormalClosure, "")
}
