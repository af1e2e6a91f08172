package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

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
		for line := range strings.Lines(f.Log()) {
			fault := strings.Contains(line, `"level":"error"`) && !strings.Contains(line, `"logger":"ledger"`) // which may wait on a busy machine
			if fault || strings.HasPrefix(line, "goroutine ") || strings.Contains(line, "panic") {
				t.Errorf("the log speaks of a fault: %s", line)
			}
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
	var all errgroup.Group
	all.SetLimit(20) // at once: a busy machine has no time for more handshakes
	c := f.client(http2)
	for i := range leaving {
		all.Go(func() error { return f.leave(t, c, "/files/5000000", 300_000) })
		if i%5 == 0 {
			all.Go(func() error { return f.leave(t, c, "/events?n=100000&every=5ms", 500) })
			all.Go(func() error { return f.leave(t, c, "/events?n=1&every=1h", 0) })
			all.Go(func() error { return f.leaveUpload(t, c) })
		}
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
	c.CloseIdleConnections()
	eventually(t, "the shop has ended its work", func() bool { return f.shop.Under() == 0 })
	// The other protocol's clients are there at the same time, each with two or
	// three goroutines: what is left behind would be there for good.
	eventually(t, "the edge has the goroutines that it had", func() bool { return f.metric("go_goroutines", "") <= before+20 })
}

// leave reads so much of an answer and goes.
func (f *front) leave(t *testing.T, c *http.Client, target string, after int64) error {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url(target), nil)
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.CopyN(io.Discard, res.Body, after)
	return err
}

// leaveUpload goes when half of a file is sent.
func (f *front) leaveUpload(t *testing.T, c *http.Client) error {
	ctx, leave := context.WithCancel(t.Context())
	half := io.MultiReader(shop.File(500_000), leaver(leave))
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, f.url("/files/half"), half)
	if err != nil {
		return err
	}
	req.ContentLength = 1_000_000
	res, err := c.Do(req)
	if err != nil {
		return nil // as it should be
	}
	_ = res.Body.Close()
	// A client of Go's says over TLS that it leaves before it closes the connection, and on a
	// busy machine it still reads for a moment what is answered to that.
	if res.StatusCode == 499 {
		return nil
	}
	return fmt.Errorf("half a file is answered with %d", res.StatusCode)
}

// leaver is called when it is read.
type leaver func()

func (l leaver) Read([]byte) (int, error) {
	l()
	return 0, context.Canceled
}
