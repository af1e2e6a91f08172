package e2e_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/waitroom/waitroom/internal/shop"
)

// TestStoppedWhilePeopleWait: an edge that is told to end says so first, serves who
// comes in the meantime, lets slow downloads and a buy end whole, says goodbye to
// WebSockets, and ends in time.
func TestStoppedWhilePeopleWait(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	const size = 5_000_000
	want, _, err := shop.Sum(shop.File(size))
	if err != nil {
		t.Fatal(err)
	}
	var under sync.WaitGroup
	begun, goOn := make(chan struct{}, 70), make(chan struct{})
	for i := range 50 {
		c := f.client(i%2 == 0)
		under.Go(func() {
			if got := f.slowDownload(t, c, begun, goOn); got != want {
				t.Errorf("download %d has the hash %q, want %q", i, got, want)
			}
		})
	}
	for range 20 {
		c := f.client(false)
		under.Go(func() { f.waitForGoodbye(t, c, begun) })
	}
	for range 70 {
		<-begun
	}
	buyer := f.client(true)
	f.admit(t, buyer)

	told := time.Now()
	if err := f.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it says that it is not ready", func() bool { return !answers(f.ready) })
	if r := f.send(buyer, http.MethodPost, buyPath, "{}", "Content-Type", "application/json", "Accept", "application/json"); r.StatusCode != http.StatusCreated {
		t.Errorf("a buy while it says goodbye: %d %s", r.StatusCode, r.body)
	}
	if r := f.send(f.client(true), http.MethodGet, "/tagged", ""); r.StatusCode != http.StatusOK {
		t.Errorf("somebody new: %d", r.StatusCode)
	}
	close(goOn)
	under.Wait()
	if code, err := f.Wait(patience); code != 0 || err != nil {
		t.Errorf("it ended with %d, %v", code, err)
	}
	t.Logf("ended %v after it was told to", time.Since(told).Round(100*time.Millisecond))
}

// slowDownload reads a little, and the rest when it may; it gives the hash.
func (f *front) slowDownload(t *testing.T, c *http.Client, begun chan<- struct{}, goOn <-chan struct{}) string {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url("/files/5000000"), nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	res, err := c.Do(req)
	begun <- struct{}{}
	if err != nil {
		t.Error(err)
		return ""
	}
	defer res.Body.Close()
	slow, in := io.Pipe()
	go func() {
		_, err := io.CopyN(in, res.Body, 100_000)
		<-goOn
		if err == nil {
			_, err = io.Copy(in, res.Body)
		}
		_ = in.CloseWithError(err) // never fails; without an error it is the end
	}()
	sum, _, err := shop.Sum(slow)
	if err != nil {
		t.Error(err)
	}
	return sum
}

// waitForGoodbye holds a WebSocket until the other side closes it, which it has to
// do in words.
func (f *front) waitForGoodbye(t *testing.T, c *http.Client, begun chan<- struct{}) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, f.url("/chat"), &websocket.DialOptions{HTTPClient: c})
	begun <- struct{}{}
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the WebSocket ended with %v, want going away", err)
	}
}
