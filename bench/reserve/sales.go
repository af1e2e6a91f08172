package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/gate"
)

// units and buyers of each sale at random.
const (
	saleUnits  = 100
	saleBuyers = 130
	together   = 16 // buyers at a time
)

// salesAtRandom sells out a fresh gate again and again. found counts those in
// which every unit was sold.
func salesAtRandom(ctx context.Context, o options, rdb *redis.ClusterClient) (found int, took time.Duration, err error) {
	for i := range o.sales {
		begun := time.Now()
		sold, err := oneSale(ctx, gate.New(rdb, fmt.Sprintf("sale-%d", i), buckets))
		if err != nil {
			return found, took, fmt.Errorf("sale %d: %w", i, err)
		}
		took += time.Since(begun)
		if sold == saleUnits {
			found++
		}
	}
	return found, took, nil
}

// oneSale lets a crowd buy, each with an account at random, and says how many
// were told yes.
func oneSale(ctx context.Context, g *gate.Gate) (int64, error) {
	if err := build(ctx, g, saleUnits); err != nil {
		return 0, err
	}
	var sold atomic.Int64
	buyers := make(chan int, saleBuyers)
	for _, who := range rand.Perm(1 << 20)[:saleBuyers] {
		buyers <- who
	}
	close(buyers)
	group, ctx := errgroup.WithContext(ctx)
	for range together {
		group.Go(func() error {
			for who := range buyers {
				switch err := buy(ctx, g, int64(who)); {
				case err == nil:
					sold.Add(1)
				case !errors.Is(err, gate.ErrSoldOut):
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return sold.Load(), err
}

// buy tries until it is told yes or sold out: who meets units on the move is asked
// to come again.
func buy(ctx context.Context, g *gate.Gate, who int64) error {
	for {
		_, err := g.Reserve(ctx, request(who))
		if !errors.Is(err, gate.ErrBusy) {
			return err
		}
	}
}
