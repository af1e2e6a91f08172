package wiring

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// gates are the gates of a worker's sales. One is kept, with the states that it
// has seen, as long as its sale has so many buckets.
type gates struct {
	rdb redis.UniversalClient

	mu      sync.Mutex
	buckets map[string]int // of the configured sales
	open    map[string]*gate.Gate
}

func newGates(rdb redis.UniversalClient, cfg *configs.Config) *gates {
	g := &gates{rdb: rdb, buckets: make(map[string]int), open: make(map[string]*gate.Gate)}
	g.apply(cfg)
	return g
}

// apply takes the sales of a configuration. Those that it no longer has are
// remembered: their winners may still be on their way.
func (g *gates) apply(cfg *configs.Config) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range cfg.Sales {
		g.buckets[cfg.Sales[i].Key] = cfg.Sales[i].Buckets
	}
}

// of returns a sale's gate. One that was configured in an earlier run only is
// opened as it was built, which the store is asked for once.
func (g *gates) of(ctx context.Context, key string) (*gate.Gate, error) {
	if open := g.known(key); open != nil {
		return open, nil
	}
	built, err := gate.Built(ctx, g.rdb, key)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buckets[key] = max(1, g.buckets[key], built)
	return g.at(key), nil
}

func (g *gates) known(key string) *gate.Gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.buckets[key] == 0 {
		return nil
	}
	return g.at(key)
}

// at is the gate of a sale whose buckets are known. The lock is held.
func (g *gates) at(key string) *gate.Gate {
	open := g.open[key]
	if open == nil || open.Buckets() != g.buckets[key] {
		open = gate.New(g.rdb, key, g.buckets[key])
		g.open[key] = open
	}
	return open
}
