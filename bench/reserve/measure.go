package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// round is one measurement of each kind.
type round struct {
	gate, raw speed
}

// speed is how many reserves were answered in how long.
type speed struct {
	reserves int
	took     time.Duration
	cpu      time.Duration // that Redis took of the machine's cores
}

func (s speed) perSecond() float64 { return float64(s.reserves) / s.took.Seconds() }

// each is the CPU of Redis that a reserve took, its start and end included.
func (s speed) each() time.Duration {
	return (s.cpu / time.Duration(s.reserves)).Round(100 * time.Nanosecond)
}

// measure measures the gate and redis-benchmark, each on a server of its own.
func measure(ctx context.Context, o options) (r round, err error) {
	if r.gate, err = onServer(ctx, o, through); err != nil {
		return r, fmt.Errorf("measure gate: %w", err)
	}
	if r.raw, err = onServer(ctx, o, raw); err != nil {
		return r, fmt.Errorf("measure redis-benchmark: %w", err)
	}
	return r, nil
}

// onServer runs one measurement on a fresh Redis with a gate that never sells out.
func onServer(ctx context.Context, o options, do func(context.Context, options, *stand) (time.Duration, error)) (speed, error) {
	owner := &testserver.Measurement{}
	defer owner.End()
	server := testserver.StartRedis(owner)
	s, err := open(ctx, o, server)
	if err != nil {
		return speed{}, err
	}
	defer func() { _ = s.rdb.Close() }()
	took, err := do(ctx, o, s)
	if err != nil {
		return speed{}, err
	}
	if err := s.took(ctx, o.reserves); err != nil {
		return speed{}, err
	}
	server.Stop()
	return speed{o.reserves, took, server.CPU()}, nil
}

// stand is a gate that is open.
type stand struct {
	server *testserver.RedisServer
	rdb    *redis.Client
	gate   *gate.Gate
	seen   *spy
}

func open(ctx context.Context, o options, server *testserver.RedisServer) (*stand, error) {
	s := &stand{server: server, seen: &spy{}}
	s.rdb = redis.NewClient(&redis.Options{
		Addr: server.Addr, PoolSize: o.conns, MinIdleConns: o.conns, MaxRetries: -1, ContextTimeoutEnabled: true,
	})
	s.rdb.AddHook(s.seen)
	if err := gate.Load(ctx, s.rdb); err != nil {
		return nil, err
	}
	s.gate = gate.New(s.rdb, "golden-toy", 1)
	return s, build(ctx, s.gate, 1<<30)
}

// took checks that so many units are gone: what was measured was reserves, not
// refusals. redis-benchmark draws some names twice, which are refused, and fills
// its last pipeline.
func (s *stand) took(ctx context.Context, reserves int) error {
	look, err := s.gate.Look(ctx)
	if err != nil {
		return err
	}
	const most = 0.01 // of them
	if gone := look.Total - look.Left; math.Abs(float64(gone-reserves)) > max(most*float64(reserves), 100) {
		return fmt.Errorf("%d units are gone after %d reserves", gone, reserves)
	}
	return nil
}

func build(ctx context.Context, g *gate.Gate, units int) error {
	if err := g.Close(ctx, "bench"); err != nil {
		return err
	}
	ok, err := g.Rebuild(ctx, "bench", gate.Contents{Epoch: 1, Total: units})
	if err == nil && !ok {
		err = errors.New("the gate was not rebuilt")
	}
	return err
}

// through reserves by way of the package, each for somebody else. It runs on one
// thread, as redis-benchmark does, so that on a small machine it does not take the
// core of the Redis that it measures.
func through(ctx context.Context, o options, s *stand) (time.Duration, error) {
	return crowd(ctx, o, s.gate, request)
}

func crowd(ctx context.Context, o options, g *gate.Gate, request func(int64) gate.Request) (time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	begun := time.Now()
	for range o.conns * o.pipeline {
		group.Go(func() error {
			for i := next.Add(1); i <= int64(o.reserves); i = next.Add(1) {
				if _, err := g.Reserve(ctx, request(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return time.Since(begun), err
}

// request is the ask of somebody, in the form and length that an edge gives it.
func request(i int64) gate.Request {
	return gate.Request{
		Reservation: fmt.Sprintf("018f0000-0000-4000-8000-%012d", i), Account: fmt.Sprintf("cookie-%017d", i),
		Ticket: fmt.Sprintf("ticket-%012d", i), Key: fmt.Sprintf("pass-ticket-%012d-0", i), Digest: "",
		Qty: 1, PerAccount: 1, Hold: 10 * time.Minute, MaxBacklog: 1 << 30,
	}
}
