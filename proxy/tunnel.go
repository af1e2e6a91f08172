package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// farewellWait is how long both sides of a WebSocket have to say goodbye.
const farewellWait = 5 * time.Second

// Farewell says goodbye on all upgraded connections, those to come included, and
// waits until they are closed, until ctx is done or for five seconds: WebSockets get
// a close frame with 1001 between two frames, both ways, and what speaks another
// protocol is closed.
func (e *Edge) Farewell(ctx context.Context) { e.tunnels.farewell(ctx) }

// tunnels are the upgraded connections of an edge, over all its configurations.
type tunnels struct {
	mu      sync.Mutex
	open    map[*tunnel]bool
	leaving bool
}

func (ts *tunnels) add(t *tunnel) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.open == nil {
		ts.open = map[*tunnel]bool{}
	}
	ts.open[t] = true
	if ts.leaving {
		go t.leave(farewellWait)
	}
}

func (ts *tunnels) remove(t *tunnel) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.open, t)
}

func (ts *tunnels) farewell(ctx context.Context) {
	ts.mu.Lock()
	ts.leaving = true
	wait := farewellWait
	if until, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(until))
	}
	var leaving sync.WaitGroup
	for t := range ts.open {
		leaving.Go(func() { t.leave(wait) })
	}
	ts.mu.Unlock()
	leaving.Wait()
}

// tunnel is a connection that speaks another protocol than HTTP from here on.
type tunnel struct {
	all       *tunnels
	webSocket bool
	shopper   *end
	origin    *end
	begun     sync.Once
	ended     sync.Once
	over      chan struct{} // closed with the connections
}

// end is one end of a tunnel. What is written to it came from the other one.
type end struct {
	io.ReadWriteCloser
	tunnel *tunnel
	bye    []byte // the close frame for it

	mu      sync.Mutex
	frames  frames // of what is written
	leaving bool   // bye goes out as soon as a frame is over
	left    bool   // it has gone out: nothing follows
	replied bool   // the other end has said goodbye since, or before
}

// upgrade makes a tunnel of the answer to a request to change protocols. Who did
// not ask for the one that the origin changed to gets none.
func (s *stream) upgrade(resp *http.Response, all *tunnels) error {
	asked, got := resp.Request.Header.Get("Upgrade"), resp.Header.Get("Upgrade")
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || asked == "" || !strings.EqualFold(asked, got) {
		return fmt.Errorf("origin changed to the protocol %q, asked for was %q", cut(got), cut(asked))
	}
	t := &tunnel{all: all, webSocket: strings.EqualFold(got, "websocket"), over: make(chan struct{})}
	t.origin = &end{ReadWriteCloser: conn, tunnel: t, bye: goingAwayMasked}
	s.tunnel, resp.Body = t, t.origin
	return nil
}

// Hijack is how the standard proxy gets at the shopper's connection.
func (s *stream) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := s.control.Hijack()
	if err != nil || s.tunnel == nil {
		return conn, rw, err
	}
	t := s.tunnel
	t.shopper = &end{ReadWriteCloser: &hijacked{conn, rw.Reader}, tunnel: t, bye: goingAway}
	return &shopperConn{conn, t.shopper}, rw, nil
}

// hijacked is the shopper's connection, and what was read of it already.
type hijacked struct {
	net.Conn
	early *bufio.Reader
}

func (h *hijacked) Read(b []byte) (int, error) {
	if n := h.early.Buffered(); n > 0 {
		return h.early.Read(b[:min(n, len(b))])
	}
	return h.Conn.Read(b)
}

func (h *hijacked) Write(b []byte) (int, error) {
	_ = h.SetWriteDeadline(time.Now().Add(streamStall)) // fails on closed ones alone, as Write will
	return h.Conn.Write(b)
}

func (h *hijacked) CloseWrite() error {
	if half, ok := h.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// shopperConn is a tunnel's end with the addresses and deadlines of a connection.
type shopperConn struct {
	net.Conn
	*end
}

// The end is read and written, not the connection.
func (c *shopperConn) Read(b []byte) (int, error)  { return c.end.Read(b) }
func (c *shopperConn) Write(b []byte) (int, error) { return c.end.Write(b) }
func (c *shopperConn) Close() error                { return c.end.Close() }

// Read is the first thing that happens to both ends once the answer is out: from
// then on the tunnel can be told of a farewell.
func (e *end) Read(b []byte) (int, error) {
	e.tunnel.begun.Do(func() { e.tunnel.all.add(e.tunnel) })
	return e.ReadWriteCloser.Read(b)
}

// Write passes a piece on. From a farewell on it does so up to the end of a frame,
// behind which goes the close frame, and what comes then is only listened to.
func (e *end) Write(b []byte) (int, error) {
	if !e.tunnel.webSocket {
		return e.ReadWriteCloser.Write(b)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	rest := b
	if !e.left {
		pass := e.follow(b)
		rest = b[pass:]
		if _, err = e.ReadWriteCloser.Write(b[:pass]); err != nil {
			return 0, err
		}
		err = e.sayBye()
	}
	for len(rest) > 0 { // the other end's answer to its own close frame is among it
		rest = rest[e.frames.skip(rest):]
	}
	if e.replied = e.frames.closes; e.replied {
		e.tunnel.closeWhenSaid()
	}
	return len(b), err
}

// follow is how much of b is to be passed on: all, or up to the end of a frame.
func (e *end) follow(b []byte) int {
	n := 0
	for n < len(b) && !(e.leaving && e.frames.between()) {
		n += e.frames.skip(b[n:])
	}
	return n
}

// sayBye sends the close frame if it is due. Who closes already gets none.
func (e *end) sayBye() error {
	if !e.leaving || e.left || !e.frames.between() {
		return nil
	}
	e.left = true
	if e.frames.closes {
		return nil
	}
	_, err := e.ReadWriteCloser.Write(e.bye)
	return err
}

func (e *end) farewell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leaving = true
	if err := e.sayBye(); err != nil {
		e.tunnel.close()
	}
}

// CloseWrite passes on that nothing more will come from the other end. The rest of
// a WebSocket, which has no halves, is given the time of a farewell.
func (e *end) CloseWrite() error {
	if e.tunnel.webSocket {
		time.AfterFunc(farewellWait, e.tunnel.close)
	}
	if half, ok := e.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Close ends both ends: one is of no use without the other.
func (e *end) Close() error {
	e.tunnel.close()
	return nil
}

// leave says goodbye and closes the tunnel, after wait at the latest.
func (t *tunnel) leave(wait time.Duration) {
	if !t.webSocket {
		t.close()
		return
	}
	timer := time.AfterFunc(wait, t.close)
	defer timer.Stop()
	go t.shopper.farewell() // a frame may be on its way to one of them for long
	go t.origin.farewell()
	<-t.over
}

// closeWhenSaid closes the tunnel once both ends have said goodbye in answer to
// ours.
func (t *tunnel) closeWhenSaid() {
	go func() {
		for _, e := range []*end{t.shopper, t.origin} {
			e.mu.Lock()
			said := e.left && e.replied
			e.mu.Unlock()
			if !said {
				return
			}
		}
		t.close()
	}()
}

// close ends both connections.
func (t *tunnel) close() {
	t.ended.Do(func() {
		close(t.over)
		_ = t.origin.ReadWriteCloser.Close()
		if t.shopper != nil { // it was not to be had
			_ = t.shopper.ReadWriteCloser.Close()
		}
	})
}

// end is close, once nothing is passed on any more.
func (t *tunnel) end() {
	t.close()
	t.all.remove(t)
}

// keepUpgrade leaves a wish to change protocols standing if it is one that says
// nothing of HTTP or TLS: whoever got those from the origin would ask it past all
// that is decided here (RFC 9113, 3.1: h2c is no more).
func keepUpgrade(h http.Header) {
	h.Del("Http2-Settings")
	protocol := h.Get("Upgrade")
	name, _, _ := strings.Cut(strings.ToLower(protocol), "/")
	if protocol == "" || strings.Contains(protocol, ",") || strings.HasPrefix(name, "h2") || strings.HasPrefix(name, "h3") || name == "http" || name == "tls" {
		h.Del("Upgrade")
		h.Del("Connection")
	}
}
