package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

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
	{"entries and passes, 3 edges", 3, (*stage).claim},
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
	owner := &owner{}
	defer owner.end()
	s := &stage{options: o}
	url := testserver.Redis(owner)
	if s.server, err = client(owner, url); err != nil {
		return r, err
	}
	if err := queueing.Load(ctx, s.server); err != nil {
		return r, err
	}
	for range c.edges {
		edge, err := client(owner, url)
		if err != nil {
			return r, err
		}
		if err := edge.Ping(ctx).Err(); err != nil {
			return r, err
		}
		s.edges = append(s.edges, edge)
	}
	s.open(time.Hour, false)
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

// open makes the edges' lines, of a sale that opens after a while and may give
// an account one ticket.
func (s *stage) open(after time.Duration, accounts bool) {
	now := time.Now()
	sale := &configs.Sale{
		ID: saleKey, Key: saleKey, Doors: now.Add(-time.Hour), Opens: now.Add(after), Closes: now.Add(2 * time.Hour),
		Admit: configs.Rate{Count: 100_000, Per: time.Second}, Burst: 10_000,
		OneTicketPerAccount: accounts,
	}
	s.lines = nil
	for _, edge := range s.edges {
		s.lines = append(s.lines, queueing.NewLine(edge, sale))
	}
}

// everyone lets each number from 0 on be somebody's, of whom so many at a time
// are busy at each edge.
func (s *stage) everyone(ctx context.Context, do func(ctx context.Context, l *queueing.Line, i uint64) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for _, l := range s.lines {
		for range s.together {
			group.Go(func() error {
				for i := next.Add(1) - 1; i < int64(s.entries); i = next.Add(1) - 1 {
					if err := do(ctx, l, uint64(i)); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	return group.Wait()
}

func (s *stage) enter(ctx context.Context) error {
	return s.everyone(ctx, func(ctx context.Context, l *queueing.Line, _ uint64) error {
		_, err := l.Enter(ctx, "")
		return err
	})
}

// enterAccounts is enter of people who are logged in, where that counts.
func (s *stage) enterAccounts(ctx context.Context) error {
	s.open(time.Hour, true)
	return s.everyone(ctx, func(ctx context.Context, l *queueing.Line, i uint64) error {
		_, err := l.Enter(ctx, fmt.Sprintf("customer-%d", i))
		return err
	})
}

// claim is enter, the draw, and a pass for everybody, as fast as the highest
// rate of a sale gives them.
func (s *stage) claim(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.open(0, false)
	ctx, cancel := context.WithCancel(ctx)
	ticked := make(chan error, 1)
	go func() { ticked <- s.tick(ctx) }()
	err := s.everyone(ctx, claimOne)
	cancel()
	return errors.Join(err, <-ticked)
}

const tickEvery = 100 * time.Millisecond

// tick lets the head move until ctx ends.
func (s *stage) tick(ctx context.Context) error {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		for _, l := range s.lines {
			if _, err := l.Tick(ctx, true, queueing.Stock{}); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// claimOne asks until there is a pass.
func claimOne(ctx context.Context, l *queueing.Line, place uint64) error {
	for {
		_, err := l.Claim(ctx, place)
		again := tickEvery
		if wait, ok := errors.AsType[*queueing.WaitError](err); ok {
			again = wait.Retry
		} else if !errors.Is(err, queueing.ErrNotCalled) {
			return err
		}
		timer := time.NewTimer(again)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// sortedSet gives everybody a member, a thousand in each call.
func (s *stage) sortedSet(ctx context.Context) error {
	const each = 1000
	for first := 0; first < s.entries; first += each {
		var members []redis.Z
		for i := first; i < min(first+each, s.entries); i++ {
			members = append(members, redis.Z{Score: float64(i), Member: fmt.Sprintf("%016x", i)})
		}
		if err := s.server.ZAdd(ctx, lineKey, members...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// client is one as an edge has it.
func client(t testserver.Owner, url string) (*redis.Client, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	rdb := redis.NewClient(o)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb, nil
}

// owner ends servers in the reverse order of their start; a fault ends the
// program, and the servers with it.
type owner struct{ ends []func() }

func (*owner) Helper()             {}
func (*owner) Error(args ...any)   { fmt.Fprintln(os.Stderr, args...) }
func (o *owner) Cleanup(f func())  { o.ends = append(o.ends, f) }
func (o *owner) Fatal(args ...any) { o.Error(args...); os.Exit(1) }

func (o *owner) end() {
	for len(o.ends) > 0 {
		last := len(o.ends) - 1
		o.ends[last]()
		o.ends = o.ends[:last]
	}
}
