package proxy

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// farewellWait is how long both sides of a WebSocket have to say goodbye.
const farewellWait = 5 * time.Second

// Farewell says goodbye on all upgraded connections, those to come included, and
// waits until they are closed, until ctx is done or for five seconds: WebSockets get
// a close frame with 1001 between two frames, both ways, and what speaks another
// protocol is closed.
func (e *Edge) Farewell(ctx context.Context) { e.tunnels.farewell(ctx) }

// tunnels are the upgraded connections of an edge, over all its configurations.
type tunnels struct {
	mu      sync.Mutex
	open    map[*tunnel]bool
	leaving bool
}

func (ts *tunnels) add(t *tunnel) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.open == nil {
		ts.open = map[*tunnel]bool{}
	}
	ts.open[t] = true
	if ts.leaving {
		t.leaving.Go(func() { t.leave(farewellWait) })
	}
}

func (ts *tunnels) remove(t *tunnel) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.open, t)
}

func (ts *tunnels) farewell(ctx context.Context) {
	ts.mu.Lock()
	ts.leaving = true
	wait := farewellWait
	if until, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(until))
	}
	told := slices.Collect(maps.Keys(ts.open))
	for _, t := range told {
		t.leaving.Go(func() { t.leave(wait) })
	}
	ts.mu.Unlock()
	for _, t := range told {
		t.leaving.Wait()
	}
}
