package e2e_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/internal/shop"
)

// TestClientsThatLeave: a hundred who close in the middle of a download, and others
// who leave elsewhere, are nobody's fault: nothing is counted as one, the shop's work ends, and nothing of
// them is left in the edge.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	bothProtocols(t, func(t *testing.T, http2 bool) { f.leaveInTheMiddle(t, http2, 100) })
	t.Cleanup(func() { // once both have ended
		for _, record := range f.records() {
			if status := record["status"].(float64); status >= 500 || record["decision"] == "panic" {
				t.Errorf("a record says %v", record)
			}
		}
		if log := f.Log(); strings.Contains(log, "goroutine ") || strings.Contains(log, "panic") || strings.Contains(log, `"level":"error"`) {
			t.Errorf("the log speaks of a fault:\n%s", tail(log, 30))
		}
		if n := f.metric("waitroom_requests_total", `status="5`); n != 0 {
			t.Errorf("%v answers are counted as 5xx", n)
		}
	})
}

// leaveInTheMiddle leaves downloads that flow, streams that trickle, uploads that
// are half there, and answers that have not begun.
func (f *front) leaveInTheMiddle(t *testing.T, http2 bool, leaving int) {
	f.send(f.client(http2), http.MethodGet, "/account", "")
	before := f.metric("go_goroutines", "")
	var all sync.WaitGroup
	c := f.client(http2)
	for range leaving {
		all.Go(func() { f.leave(t, c, "/files/5000000", 300_000) })
	}
	for range leaving / 5 {
		all.Go(func() { f.leave(t, c, "/events?n=100000&every=5ms", 500) })
		all.Go(func() { f.leave(t, c, "/events?n=1&every=1h", 0) })
		all.Go(func() { f.leaveUpload(t, c) })
	}
	all.Wait()
	c.CloseIdleConnections()
	eventually(t, "the shop has ended its work", func() bool { return f.shop.Under() == 0 })
	// The other protocol's clients are there at the same time, each with two or
	// three goroutines: what is left behind would be there for good.
	eventually(t, "the edge has the goroutines that it had", func() bool { return f.metric("go_goroutines", "") <= before+20 })
}

// leave reads so much of an answer and goes.
func (f *front) leave(t *testing.T, c *http.Client, target string, after int64) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url(target), nil)
	if err != nil {
		t.Error(err)
		return
	}
	res, err := c.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	if _, err := io.CopyN(io.Discard, res.Body, after); err != nil {
		t.Error(err)
	}
}

// leaveUpload goes when half of a file is sent.
func (f *front) leaveUpload(t *testing.T, c *http.Client) {
	ctx, leave := context.WithCancel(t.Context())
	half := io.MultiReader(shop.File(500_000), leaver(leave))
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, f.url("/files/half"), half)
	if err != nil {
		t.Error(err)
		return
	}
	req.ContentLength = 1_000_000
	if res, err := c.Do(req); err == nil {
		t.Errorf("half a file is answered with %d", res.StatusCode)
		_ = res.Body.Close()
	}
}

// leaver is called when it is read.
type leaver func()

func (l leaver) Read([]byte) (int, error) {
	l()
	return 0, context.Canceled
}
