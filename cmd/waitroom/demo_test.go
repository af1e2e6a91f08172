package main

import (
	"net"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestOpenStage_LeavesNothingOpen: where the books cannot be reached, the edge
// that was built before is closed again.
func TestOpenStage_LeavesNothingOpen(t *testing.T) {
	t.Parallel()
	front := testserver.FreeAddress(t)
	o := &demoOptions{stock: 1, rate: "1/s", redis: "redis://127.0.0.1:1", postgres: "postgres://127.0.0.1:1/shop?connect_timeout=2"}
	when := schedule{opensIn: time.Minute, open: time.Minute, hold: time.Minute, listen: front}
	if s, err := openStage(t.Context(), o, when, t.Output()); err == nil || s != nil {
		t.Fatalf("got %v and %v without a Postgres, want no stage and an error", s, err)
	}
	l, err := net.Listen("tcp", front)
	if err != nil {
		t.Fatalf("the edge still listens: %v", err)
	}
	_ = l.Close()
}
