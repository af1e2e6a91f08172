package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestMostConnections: however many requests there are, the origin has no more
// connections than the bound; the next request gets one that is let go.
func TestMostConnections(t *testing.T) {
	t.Parallel()
	arrived, leave := make(chan struct{}, mostConns), make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			arrived <- struct{}{}
			<-leave
		}
	}))
	defer origin.Close()
	next := newTransport()
	defer next.CloseIdleConnections()
	ask := func(ctx context.Context, path string) {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, origin.URL+path, nil)
		resp, err := next.RoundTrip(req)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		_ = resp.Body.Close()
	}
	var crowd sync.WaitGroup
	for range mostConns {
		crowd.Go(func() { ask(t.Context(), "/slow") })
	}
	for range mostConns {
		<-arrived
	}
	var got httptrace.GotConnInfo
	waits := make(chan struct{})
	crowd.Go(func() {
		ask(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GetConn: func(string) { close(waits) },
			GotConn: func(info httptrace.GotConnInfo) { got = info },
		}), "/one-more")
	})
	<-waits
	leave <- struct{}{} // one connection is let go
	close(leave)
	if crowd.Wait(); !got.Reused {
		t.Error("one request more got a connection of its own")
	}
}

// TestPatience: a request waits so long for a connection, and for all else as
// long as it takes.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := patience(t.Context())
		defer stop()
		trace := httptrace.ContextClientTrace(ctx)
		trace.GetConn("")
		time.Sleep(connWait - 1)
		trace.GotConn(httptrace.GotConnInfo{})
		time.Sleep(time.Hour)
		if err := ctx.Err(); err != nil {
			t.Errorf("with a connection: %v", err)
		}
		trace.GetConn("")
		time.Sleep(connWait)
		synctest.Wait()
		if err := context.Cause(ctx); !errors.Is(err, errNoConnection) {
			t.Errorf("without a second one: %v, want %v", err, errNoConnection)
		}
	})
}
