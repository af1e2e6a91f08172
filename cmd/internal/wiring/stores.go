package wiring

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/ledger"
)

// Stores are what a program keeps things in. Books is nil on an edge that has a
// Redis of its own: an edge never reaches the ledger.
type Stores struct {
	Redis redis.UniversalClient
	Books *ledger.Books
	mini  *miniredis.Miniredis
}

// openStores opens what the configuration names. With neither Redis nor
// Postgres both live inside the program: the line in memory, the books in a
// file of the data directory.
func openStores(ctx context.Context, cfg *configs.Config, books bool) (s *Stores, err error) {
	s = &Stores{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if cfg.Embedded() {
		if err := s.embed(); err != nil {
			return s, err
		}
		if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
			return s, fmt.Errorf("data_dir: %w", err)
		}
		if s.Books, err = ledger.OpenSQLite(ctx, cfg.DataDir); err != nil {
			return s, err
		}
		return s, s.Books.Migrate(ctx)
	}
	if s.Redis, err = openRedis(cfg.Redis.URL); err != nil || !books {
		return s, err
	}
	if s.Books, err = ledger.OpenPostgres(cfg.Postgres.URL); err != nil {
		return s, err
	}
	return s, s.Books.Migrate(ctx)
}

func (s *Stores) embed() error {
	s.mini = miniredis.NewMiniRedis()
	if err := s.mini.StartAddr("127.0.0.1:0"); err != nil {
		return fmt.Errorf("start embedded store: %w", err)
	}
	s.Redis = redis.NewClient(&redis.Options{Addr: s.mini.Addr(), MaxRetries: -1, ContextTimeoutEnabled: true, ReadTimeout: redisRead, PoolSize: redisConns})
	return nil
}

// Close closes in reverse order of opening and tolerates half-open stores.
func (s *Stores) Close() error {
	var errs []error
	if s.Books != nil {
		errs = append(errs, s.Books.Close())
	}
	if s.Redis != nil {
		errs = append(errs, s.Redis.Close())
	}
	if s.mini != nil {
		s.mini.Close()
	}
	return errors.Join(errs...)
}
