package e2e_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestMoreConnectionsThanFiles: where the system lets an edge open few files, the
// connections that have been idle longest go for new ones, and everybody is served.
func TestMoreConnectionsThanFiles(t *testing.T) {
	t.Parallel()
	h := openHouse(t, 1)
	h.Kill()
	h.Program = testserver.NewProgram(t, func() bool { return answers(h.ready) },
		"/bin/sh", "-c", `ulimit -n 256 && exec "$0" "$@"`, program("waitroom"), "run", "--config", h.config)
	h.open()
	tr := newTraffic(t, t.Context(), h.address, h.roots)
	get := func(ctx context.Context) *http.Request {
		req := tr.request(ctx, http.MethodGet, own("status"), nil)
		req.Host = h.address
		return req
	}
	var idle []*line
	for i := range 400 {
		l, err := tr.line(t.Context())
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		defer func() { _ = l.conn.Close() }()
		if _, err := l.ask(get(t.Context()), 0); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		idle = append(idle, l)
	}
	eventually(t, "the oldest ones are closed", func() bool { return idle[0].ended() && idle[99].ended() })
	if idle[399].ended() || idle[340].ended() { // one address has half of the room of 128
		t.Error("one of the newest is closed, want the oldest")
	}
	if log := h.Log(); !strings.Contains(log, `"msg":"room for connections","connections":128,"of_one_address":64`) || strings.Contains(log, "no connection can be accepted") {
		t.Errorf("the log says\n%s", tail(log, 10))
	}
}
