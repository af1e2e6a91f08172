package main

import (
	"context"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// share of waitroom's own maximum at which answers are timed.
const share = 0.7

// paced finds how much waitroom can do, and then asks all servers at a fixed rate below
// that, whatever becomes of the requests before.
func paced(ctx context.Context, st *stage, o options, r row, round int) (map[string]figures, error) {
	most, err := st.servers[0].saturate(ctx, o, st.target(st.servers[0], r))
	if err != nil {
		return nil, err
	}
	rate := most.rate * share
	return st.inTurns(round, func(s *server) (figures, error) {
		took, err := s.pace(ctx, o, st.target(s, r), rate)
		if err != nil {
			return figures{}, err
		}
		at := func(q float64) time.Duration { return took[min(int(q*float64(len(took))), len(took)-1)] }
		return figures{rate: rate, p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999)}, nil
	})
}

// pace asks the connections in turns and gives how long the answers took, sorted: from
// when a request was let go, whether or not its connection was free then. Those of the
// beginning do not count.
func (s *server) pace(ctx context.Context, o options, t target, rate float64) ([]time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // who naps in the kernel holds up nobody
	n := max(o.connections, int(rate*o.span.Seconds()*(1+1.0/warmUp)))
	group, ctx := errgroup.WithContext(ctx)
	due, ready := make([]chan time.Time, o.connections), make(chan struct{}, o.connections)
	took := make([][]time.Duration, o.connections)
	for i := range due {
		due[i] = make(chan time.Time, n/o.connections+1)
		group.Go(func() error {
			conn, err := t.dial(ctx)
			if err != nil {
				return err
			}
			defer func() { _ = conn.Close() }()
			ready <- struct{}{}
			for begun := range due[i] {
				if err := conn.talk(); err != nil {
					return err
				}
				took[i] = append(took[i], time.Since(begun))
			}
			return nil
		})
	}
	for range due {
		select {
		case <-ready:
		case <-ctx.Done():
		}
	}
	release(ctx, due, n, rate)
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []time.Duration
	for _, one := range took {
		all = append(all, one[len(one)/(1+warmUp):]...)
	}
	slices.Sort(all)
	return all, nil
}

// release lets n requests go, evenly, and closes the channels.
func release(ctx context.Context, due []chan time.Time, n int, rate float64) {
	begun := time.Now()
	for i := 0; i < n && ctx.Err() == nil; {
		now := time.Now()
		for ; i < n && float64(i) <= now.Sub(begun).Seconds()*rate; i++ {
			due[i%len(due)] <- now // has room for all
		}
		nap()
	}
	for _, d := range due {
		close(d)
	}
}
