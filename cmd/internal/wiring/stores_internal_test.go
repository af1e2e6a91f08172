package wiring

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

func embedded(t *testing.T) *stores {
	t.Helper()
	s, err := openStores(t.Context(), &configs.Config{DataDir: t.TempDir()}, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestStores_EmbeddedIsNotForOthers: the seed lies in the embedded store before
// the draw, so nobody else on the machine may read it.
func TestStores_EmbeddedIsNotForOthers(t *testing.T) {
	t.Parallel()
	s := embedded(t)
	if err := s.Edge.Ping(t.Context()).Err(); err != nil {
		t.Errorf("got %v for the edge, want nil", err)
	}
	stranger := redis.NewClient(&redis.Options{Addr: s.mini.Addr(), MaxRetries: -1})
	defer func() { _ = stranger.Close() }()
	if err := stranger.Keys(t.Context(), "*").Err(); err == nil || !strings.Contains(err.Error(), "NOAUTH") {
		t.Errorf("got %v without the password, want NOAUTH", err)
	}
}

// TestStores_WaitingReadsLeaveTheEdgeAlone: as many reads of the worker as there
// are connections wait, and the edge is answered at once.
func TestStores_WaitingReadsLeaveTheEdgeAlone(t *testing.T) {
	t.Parallel()
	s := embedded(t)
	waiting, stop := context.WithCancel(t.Context())
	done := make(chan struct{}, redisConns)
	for range redisConns {
		go func() {
			_ = s.Worker.BLPop(waiting, 2*time.Second, "nothing").Err()
			done <- struct{}{}
		}()
	}
	for s.Worker.PoolStats().TotalConns < redisConns {
		if t.Context().Err() != nil {
			t.Fatal("the reads did not begin to wait")
		}
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := s.Edge.Ping(ctx).Err(); err != nil {
		t.Errorf("got %v for the edge, want an answer", err)
	}
	stop()
	for range redisConns {
		<-done
	}
}
