package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// column is one way to keep a line.
type column struct {
	name  string
	edges int
	fill  func(*stage, context.Context) error
}

var columns = []column{
	{"entries, 1 edge", 1, (*stage).enter},
	{"entries, 3 edges", 3, (*stage).enter},
	{"entries, one an account, 3 edges", 3, (*stage).enterAccounts},
	{"entries, a proof each, 3 edges", 3, (*stage).enterProofs},
	{"entries and passes, 3 edges", 3, (*stage).claim},
	{"the same, a unit for each pass", 3, (*stage).claimUnits},
	{"a sorted set", 1, (*stage).sortedSet},
}

// result is what the server said before and after.
type result struct {
	column
	did           int
	took          time.Duration
	before, after figures
	keys          int64 // memory of the line's own, in bytes
}

const saleKey = "golden-toy"

// stage is a Redis with so many edges at it.
type stage struct {
	options
	server *redis.Client
	edges  []*redis.Client
	lines  []*queueing.Line
}

// measure fills a line in a Redis of its own.
func measure(ctx context.Context, o options, c column) (r result, err error) {
	owner := &testserver.Measurement{}
	defer owner.End()
	url := testserver.Redis(owner)
	s := &stage{options: o, server: testserver.EdgeClient(owner, url)}
	if err := queueing.Load(ctx, s.server); err != nil {
		return r, err
	}
	for range c.edges {
		edge := testserver.EdgeClient(owner, url)
		if err := edge.Ping(ctx).Err(); err != nil {
			return r, err
		}
		s.edges = append(s.edges, edge)
	}
	s.open(s.sale(time.Hour))
	r = result{column: c, did: o.entries}
	if r.before, err = look(ctx, s.server); err != nil {
		return r, err
	}
	begun := time.Now()
	if err := c.fill(s, ctx); err != nil {
		return r, err
	}
	r.took = time.Since(begun)
	if r.after, err = look(ctx, s.server); err != nil {
		return r, err
	}
	r.keys, err = keysMemory(ctx, s.server)
	return r, err
}

// sale opens after a while.
func (s *stage) sale(after time.Duration) *configs.Sale {
	now := time.Now()
	return &configs.Sale{
		ID: saleKey, Key: saleKey, Doors: now.Add(-time.Hour), Opens: now.Add(after), Closes: now.Add(2 * time.Hour),
		Admit: configs.Rate{Count: 100_000, Per: time.Second}, Burst: 10_000,
	}
}

// open makes the edges' lines of a sale.
func (s *stage) open(sale *configs.Sale) {
	s.lines = nil
	for _, edge := range s.edges {
		s.lines = append(s.lines, queueing.NewLine(edge, sale))
	}
}
