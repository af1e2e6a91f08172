package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// upgrading is an origin that changes to whatever protocol it is asked for and then
// plays.
func upgrading(play func(conn net.Conn, in *bufio.Reader)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		protocol := r.Header.Get("Upgrade")
		if protocol == "" {
			w.WriteHeader(http.StatusUpgradeRequired)
			return
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\nearly", protocol)
		_ = rw.Flush()
		play(conn, rw.Reader)
	}
}

// upgrade asks for another protocol, with what is sent right behind the request.
func (s *stage) upgrade(protocol, behind string) (net.Conn, *bufio.Reader, *http.Response) {
	s.t.Helper()
	conn := s.rawConn()
	s.t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, "GET /chat HTTP/1.1\r\nHost: "+host+"\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nUpgrade: "+protocol+"\r\n\r\n"+behind)
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return conn, in, resp
}

// TestUpgradeLosesNothing: what is sent right behind either head arrives, and one
// end may stop before the other.
func TestUpgradeLosesNothing(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: upgrading(func(conn net.Conn, in *bufio.Reader) {
		all, _ := io.ReadAll(in)
		_, _ = fmt.Fprintf(conn, " then %s", all)
	})})
	conn, in, resp := s.upgrade("chatter", "behind")
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Upgrade") != "chatter" {
		t.Fatalf("got %v", resp)
	}
	_, _ = io.WriteString(conn, " and more")
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(in); string(all) != "early then behind and more" {
		t.Errorf("got %q, %v", all, err)
	}
}

// TestUpgradesThatAreNone: a wish for HTTP by another way is not passed on, for all
// that is decided here would be passed by; and an origin's no is an answer.
func TestUpgradesThatAreNone(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: upgrading(func(net.Conn, *bufio.Reader) {})})
	for _, protocol := range []string{"h2c", "H2C", "h2", "TLS/1.0", "HTTP/2.0", "websocket, h2c"} {
		_, _, resp := s.upgrade(protocol, "")
		if resp.StatusCode != http.StatusUpgradeRequired {
			t.Errorf("%s: got %d, want what the origin says to a request without it", protocol, resp.StatusCode)
		}
		seen := s.shop.last(t).Header
		if seen.Get("Upgrade") != "" || seen.Get("Http2-Settings") != "" || seen.Get("Connection") != "" {
			t.Errorf("%s: the origin sees %v", protocol, seen)
		}
	}
}

// TestUpgradeUnasked: an origin that changes protocols by itself, or to another one,
// has not answered.
func TestUpgradeUnasked(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: exchanger(t, func(conn net.Conn, _ *bufio.Reader, _ *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n")
	})})
	s.browser().get("/cart").want(t, "unasked", http.StatusBadGateway, "origin_away")
	if _, _, resp := s.upgrade("websocket", ""); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("another protocol: got %d, want 502", resp.StatusCode)
	}
}

// TestFarewell: at the end each WebSocket is told so on both sides, between two
// frames; what speaks another protocol is closed.
func TestFarewell(t *testing.T) {
	t.Parallel()
	origin := make(chan error, 9)
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" {
			upgrading(func(_ net.Conn, in *bufio.Reader) { _, _ = io.ReadAll(in) })(w, r)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			origin <- err
			return
		}
		defer func() { _ = conn.CloseNow() }()
		conn.SetReadLimit(-1)
		for {
			kind, message, err := conn.Read(context.Background())
			if err != nil {
				origin <- err
				return
			}
			_ = conn.Write(context.Background(), kind, message)
		}
	}})
	_, other, _ := s.upgrade("chatter", "")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	b := s.browser()
	b.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	b.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{"http/1.1"}
	var conns []*websocket.Conn
	for range 3 {
		conn, _, err := websocket.Dial(ctx, "wss://"+host+"/chat", &websocket.DialOptions{HTTPClient: b.Client})
		if err != nil {
			t.Fatal(err)
		}
		conn.SetReadLimit(-1)
		message := bytes.Repeat([]byte("word "), 100_000)
		if err := conn.Write(ctx, websocket.MessageBinary, message); err != nil {
			t.Fatal(err)
		}
		if _, got, err := conn.Read(ctx); err != nil || !bytes.Equal(got, message) {
			t.Fatalf("the echo is %d bytes, %v", len(got), err)
		}
		conns = append(conns, conn)
	}
	told := make(chan error, len(conns))
	for _, conn := range conns {
		go func() { _, _, err := conn.Read(ctx); told <- err }()
	}
	begun := time.Now()
	s.edge.Farewell(ctx)
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("the farewell took %v although all answer it", took)
	}
	for range conns {
		if err := <-told; websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("a shopper got %v, want %d", err, websocket.StatusGoingAway)
		}
		if err := <-origin; websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("the origin got %v, want %d", err, websocket.StatusGoingAway)
		}
	}
	if rest, _ := io.ReadAll(other); !strings.HasPrefix("early", string(rest)) {
		t.Errorf("another protocol ends with %q", rest)
	}
	// One that comes late is told at once.
	conn, _, err := websocket.Dial(ctx, "wss://"+host+"/chat", &websocket.DialOptions{HTTPClient: b.Client})
	if err == nil {
		_, _, err = conn.Read(ctx)
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("a late one got %v, want %d", err, websocket.StatusGoingAway)
	}
}
