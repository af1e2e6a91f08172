package listen_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/listen"
)

// desk answers /ready, and /fault with a fault behind it.
type desk struct{}

func (desk) Answer(r *express.Request) *express.Answer {
	if r.Target != "/ready" && r.Target != "/fault" || r.Conn.RemoteAddr() == nil || listen.Own(r.Conn) || listen.Secure(r.Conn) == nil {
		return nil
	}
	return &express.Answer{Status: 200, Head1: []byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), Head2: []byte{0x88}, Body: []byte("ready")}
}

func (desk) Done(r *express.Request, _ *express.Answer, _ int) {
	if r.Target == "/fault" {
		panic("a fault of the desk")
	}
}

// buildLane opens a house with a lane.
func buildLane(t *testing.T) *house {
	t.Helper()
	lane := express.New(desk{}, express.Times{Head: 5 * time.Second, Idle: 20 * time.Second, Write: 5 * time.Second}, 250, func() bool { return false })
	return buildLaned(t, &tls.Config{Certificates: []tls.Certificate{certificate(t)}, NextProtos: []string{"h2", "http/1.1"}}, lane, false, nil)
}

func (h *house) secure(spoken string) *tls.Conn {
	h.t.Helper()
	c := tls.Client(h.dial(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{spoken}, ServerName: "shop.example.com"})
	if err := c.HandshakeContext(context.Background()); err != nil {
		h.t.Fatal(err)
	}
	return c
}

// numbers waits until they are so.
func (h *house) numbers(served, idle int) {
	h.t.Helper()
	var n listen.Numbers
	for range 200 {
		if n = h.conns.Numbers(); n.Served == served && n.Idle == idle {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.t.Errorf("%d are served and %d idle, want %d and %d", n.Served, n.Idle, served, idle)
}

func askFor(t *testing.T, c net.Conn, path string) string {
	t.Helper()
	_, _ = io.WriteString(c, strings.Replace(get, "/", path, 1))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err.Error()
	}
	body, _ := io.ReadAll(resp.Body)
	return string(body)
}

// TestLane: who is answered by the lane is idle, and goes as one; a server gets a
// connection with the first request for it.
func TestLane(t *testing.T) {
	t.Parallel()
	h := buildLane(t)
	c := h.secure("http/1.1")
	h.numbers(0, 1)
	if got := askFor(t, c, "/ready"); got != "ready" {
		t.Errorf("got %q", got)
	}
	h.numbers(0, 1)
	if got := askFor(t, c, "/other"); !strings.HasPrefix(got, "HTTP/1.1 127.") {
		t.Errorf("got %q", got)
	}
	if got := askFor(t, c, "/ready"); got != "ready" {
		t.Errorf("got %q behind the server", got)
	}
	h.numbers(0, 1)
	other := h.secure("http/1.1")
	if got := askFor(t, other, "/ready"); got != "ready" {
		t.Errorf("got %q", got)
	}
	h.greeter.Leave(false)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	begun := time.Now()
	h.conns.Disperse(ctx, 300*time.Millisecond)
	if took := time.Since(begun); took > 9*time.Second {
		t.Errorf("they went after %v", took)
	}
	for _, one := range []net.Conn{c, other} {
		if b, err := io.ReadAll(one); err != nil || len(b) > 0 {
			t.Errorf("got %q, %v, want an end", b, err)
		}
	}
}

// TestLane_Parts: over HTTP/2 the lane says goodbye where there is no server to say it.
func TestLane_Parts(t *testing.T) {
	t.Parallel()
	h := buildLane(t)
	c := h.secure("h2")
	f := http2.NewFramer(c, c)
	_, _ = io.WriteString(c, http2.ClientPreface)
	_ = f.WriteSettings()
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
		BlockFragment: append([]byte{0x82, 0x87, 0, 10}, ":authority\x01a\x04\x06/ready"...)})
	last := func() uint32 {
		for {
			one, err := f.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			if g, ok := one.(*http2.GoAwayFrame); ok {
				return g.LastStreamID
			}
		}
	}
	for {
		one, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := one.(*http2.DataFrame); ok && d.StreamEnded() {
			break
		}
	}
	h.numbers(0, 1)
	h.greeter.Leave(false)
	if got := last(); got != 1<<31-1 {
		t.Errorf("first the last stream is %d, want the highest number", got)
	}
	h.greeter.Part()
	if got := last(); got != 1 {
		t.Errorf("then it is %d, want 1", got)
	}
	if b, err := io.ReadAll(c); err != nil || len(b) > 0 {
		t.Errorf("behind it: %q, %v, want the end", b, err)
	}
}

// TestLane_Fault: a fault in the lane ends that connection, whoever has it, and nothing
// else.
func TestLane_Fault(t *testing.T) {
	t.Parallel()
	h := buildLane(t)
	for name, first := range map[string]string{"without a server": "/ready", "behind a server": "/other"} {
		one := h.secure("http/1.1")
		_ = one.SetDeadline(time.Now().Add(10 * time.Second))
		if got := askFor(t, one, first); strings.Contains(got, "EOF") {
			t.Errorf("%s: got %q before", name, got)
		}
		_, _ = io.WriteString(one, strings.Replace(get, "/", "/fault", 1))
		if b, err := io.ReadAll(one); err != nil || len(b) > 0 {
			t.Errorf("%s, HTTP/1.1: got %q, %v, want an end", name, b, err)
		}
		two := h.secure("h2")
		_ = two.SetDeadline(time.Now().Add(10 * time.Second))
		f := http2.NewFramer(two, two)
		_, _ = io.WriteString(two, http2.ClientPreface)
		_ = f.WriteSettings()
		for i, path := range []string{first, "/fault"} {
			block := append([]byte{0x82, 0x87, 0, 10}, ":authority\x01a\x04\x06"...)
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(1 + 2*i), EndStream: true, EndHeaders: true, BlockFragment: append(block, path...)})
			for {
				one, err := f.ReadFrame()
				if err != nil && i == 1 {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if d, ok := one.(*http2.DataFrame); ok && d.StreamEnded() {
					if i == 1 {
						t.Errorf("%s, HTTP/2: an answer, want an end", name)
					}
					break
				}
			}
		}
	}
	h.numbers(0, 0)
	if got := askFor(t, h.secure("http/1.1"), "/ready"); got != "ready" {
		t.Errorf("the next one got %q", got)
	}
}
