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

// stores are what a program keeps things in. Books is nil on an edge that has a
// Redis of its own: an edge never reaches the ledger.
type stores struct {
	Redis redis.UniversalClient
	Books *ledger.Books
	mini  *miniredis.Miniredis
}

// openStores opens what the configuration names. With neither Redis nor
// Postgres both live inside the program: the line in memory, the books in a
// file of the data directory.
func openStores(ctx context.Context, cfg *configs.Config, books bool) (*stores, error) {
	s := &stores{}
	open := s.connect
	if cfg.Embedded() {
		open = s.embed
	}
	if err := open(ctx, cfg, books); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stores) connect(ctx context.Context, cfg *configs.Config, books bool) (err error) {
	if s.Redis, err = openRedis(cfg.Redis.URL); err != nil || !books {
		return err
	}
	if s.Books, err = ledger.OpenPostgres(cfg.Postgres.URL); err != nil {
		return err
	}
	return s.Books.Migrate(ctx)
}

func (s *stores) embed(ctx context.Context, cfg *configs.Config, _ bool) (err error) {
	s.mini = miniredis.NewMiniRedis()
	if err := s.mini.StartAddr("127.0.0.1:0"); err != nil {
		return fmt.Errorf("start embedded store: %w", err)
	}
	if s.Redis, err = openRedis(configs.NewSecret("redis://" + s.mini.Addr())); err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}
	if s.Books, err = ledger.OpenSQLite(ctx, cfg.DataDir); err != nil {
		return err
	}
	return s.Books.Migrate(ctx)
}

// close closes in reverse order of opening and tolerates half-open stores.
func (s *stores) close() error {
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
