package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

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
		_, err := l.Enter(ctx, queueing.Entry{})
		return err
	})
}

// enterAccounts is enter of people who are logged in.
func (s *stage) enterAccounts(ctx context.Context) error {
	return s.everyone(ctx, func(ctx context.Context, l *queueing.Line, i uint64) error {
		_, err := l.Enter(ctx, queueing.Entry{Account: fmt.Sprintf("customer-%d", i)})
		return err
	})
}

// enterProofs is enter of people of whom each brings a proof.
func (s *stage) enterProofs(ctx context.Context) error {
	return s.everyone(ctx, func(ctx context.Context, l *queueing.Line, i uint64) error {
		proof := queueing.Proof{Ends: time.Now().Add(5 * time.Minute)}
		_, _ = rand.Read(proof.ID[:]) // never fails
		_, err := l.Enter(ctx, queueing.Entry{Proof: proof})
		return err
	})
}

// claim is enter, the draw, and a pass for everybody, as fast as the highest
// rate of a sale gives them.
func (s *stage) claim(ctx context.Context) error { return s.claimOf(ctx, s.sale(0)) }

// claimUnits is claim where passes are matched to units, of which there are enough.
func (s *stage) claimUnits(ctx context.Context) error {
	sale := s.sale(0)
	sale.MatchStock = true
	return s.claimOf(ctx, sale)
}

func (s *stage) claimOf(ctx context.Context, sale *configs.Sale) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	sale.Opens = time.Now()
	s.open(sale)
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
			if _, err := l.Tick(ctx, true, queueing.Stock{Left: 2 * s.entries}); err != nil && ctx.Err() == nil {
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
		_, err := l.Claim(ctx, queueing.Turn{Place: place})
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
