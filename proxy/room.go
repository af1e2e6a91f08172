package proxy

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

// room is one room on this edge: its line, and the placard that says what this
// edge last knew of it. It survives reloads that do not touch it.
type room struct {
	cfg     *configs.Room
	brand   *static.Brand // nil: none
	line    *queueing.Room
	placard atomic.Pointer[placard] // nil until the first tick

	withoutRedis *rate.Limiter // of whom this edge lets in while Redis is away

	ticking atomic.Bool
	crowded crowded // the tick's own
	trouble trouble // likewise
}

func newRoom(cfg *configs.Room, brand *static.Brand, rdb redis.UniversalClient) *room {
	return &room{
		cfg: cfg, brand: brand, line: queueing.NewRoom(rdb, cfg),
		withoutRedis: rate.NewLimiter(rate.Limit(cfg.Admit.PerSecond()), cfg.Burst),
	}
}

// tick asks the line how it stands and hangs out a new placard. When Redis does
// not answer the old one stays, and is stale after a while.
func (r *room) tick(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tickWait)
	defer cancel()
	last := r.placard.Load()
	line, err := r.line.Tick(ctx)
	if err != nil {
		if last != nil && last.away() {
			r.placard.Store(newPlacard(r.cfg, last, last.line, last.taken, true))
		}
		return fmt.Errorf("tick room %s: %w", r.cfg.ID, err)
	}
	r.withoutRedis.SetLimit(rate.Limit(line.Rate))
	r.placard.Store(newPlacard(r.cfg, last, line, time.Now(), false))
	return nil
}
