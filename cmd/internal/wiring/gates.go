package wiring

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// gates are the gates of a worker's sales. One is kept, with the states that it
// has seen, as long as its sale has so many buckets.
type gates struct {
	rdb redis.UniversalClient
	log *zap.Logger

	mu      sync.Mutex
	buckets map[string]int // of the configured sales
	open    map[string]*gate.Gate
}

func newGates(rdb redis.UniversalClient, cfg *configs.Config, log *zap.Logger) *gates {
	g := &gates{rdb: rdb, log: log, buckets: make(map[string]int), open: make(map[string]*gate.Gate)}
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
// opened as it was built; nil when that cannot be learnt now.
func (g *gates) of(key string) *gate.Gate {
	if open := g.known(key); open != nil {
		return open
	}
	built, err := gate.Built(context.Background(), g.rdb, key)
	if err != nil {
		g.log.Warn("gate of a former sale does not answer", zap.String("sale", key), zap.Error(err))
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buckets[key] = max(g.buckets[key], built)
	return g.at(key)
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
