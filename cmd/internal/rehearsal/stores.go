package rehearsal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// stores are the sale's line and gate, on a Redis in this process whose clock is
// ours.
type stores struct {
	redis *miniredis.Miniredis
	rdb   *redis.Client
	line  *queueing.Rehearsal
	gate  *gate.Gate
	now   moment
}

func openStores(ctx context.Context, sale *configs.Sale, seed uint64, begin moment) (*stores, error) {
	m := miniredis.NewMiniRedis()
	s := &stores{redis: m, rdb: redis.NewClient(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
		// No deadline: a machine that is busy makes a rehearsal slow, not another one.
		ReadTimeout: -1, WriteTimeout: -1, ContextTimeoutEnabled: false,
		MaxRetries: -1, PoolSize: 1, DisableIdentity: true,
	})}
	s.line, s.gate = queueing.NewRehearsal(s.rdb, sale, drawSeed(seed)), gate.New(s.rdb, sale.Key, 1)
	s.moveTo(begin)
	if err := s.stock(ctx, sale.Stock); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// stock loads the gate, as the ledger does before a sale.
func (s *stores) stock(ctx context.Context, units int) error {
	const why = "being stocked"
	if err := errors.Join(queueing.Load(ctx, s.rdb), gate.Load(ctx, s.rdb), s.gate.Close(ctx, why)); err != nil {
		return err
	}
	ok, err := s.gate.Rebuild(ctx, why, gate.Contents{Epoch: 1, Total: units})
	if err == nil && !ok {
		err = errors.New("stock gate: it was not built")
	}
	return err
}

// moveTo moves the clock, never back.
func (s *stores) moveTo(now moment) {
	s.now = max(s.now, now)
	s.redis.SetTime(s.now.time())
}

func (s *stores) close() error {
	err := s.rdb.Close()
	s.redis.Close()
	if err != nil {
		return fmt.Errorf("close embedded store: %w", err)
	}
	return nil
}

// drawSeed is the draw's seed that follows from the rehearsal's.
func drawSeed(seed uint64) queueing.Seed {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte("waitroom rehearsal"), seed))
}
