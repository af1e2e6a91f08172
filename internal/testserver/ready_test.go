package testserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

func TestReady(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusServiceUnavailable)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(int(status.Load()))
		}
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	listens, healthy := testserver.Listens(address), testserver.Healthy(address)
	is := func(when string, wantListens, wantHealthy bool) {
		t.Helper()
		if l, h := listens(), healthy(); l != wantListens || h != wantHealthy {
			t.Errorf("%s: listens %v, healthy %v; want %v, %v", when, l, h, wantListens, wantHealthy)
		}
	}
	is("while it starts", true, false)
	status.Store(http.StatusOK)
	is("when it is there", true, true)
	server.Close()
	is("when it is gone", false, false)
}
