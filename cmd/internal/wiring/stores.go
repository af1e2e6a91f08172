package wiring

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/cmd/internal/survey"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/ledger"
)

// stores are what a program keeps things in. Edge and worker have a client each,
// so that the reads in which a worker waits never take an edge's connections. Of
// those that a program has no use for there are none: an edge with a Redis of its
// own never reaches the ledger.
type stores struct {
	Edge   redis.UniversalClient
	Worker redis.UniversalClient
	Books  *ledger.Books
	mini   *miniredis.Miniredis
	closed sync.Once
}

// openStores opens what the configuration names. With neither Redis nor
// Postgres both live inside the program: the line in memory, and the books in a
// file of the data directory, which openBooks opens.
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
	if !books {
		s.Edge, err = openRedis(cfg.Redis.URL)
		return err
	}
	if s.Worker, err = openRedis(cfg.Redis.URL); err != nil {
		return err
	}
	if s.Books, err = ledger.OpenPostgres(cfg.Postgres.URL); err != nil {
		return err
	}
	if err = s.Books.Migrate(ctx); err != nil {
		err = errors.Join(err, unfit(survey.Postgres(ctx, cfg.Postgres.URL)))
	}
	return err
}

// unfit is an error that says what is at fault; nil if nothing is.
func unfit(found []survey.Finding) error {
	var errs []error
	for _, f := range found {
		if f.Level == survey.Fault {
			errs = append(errs, fmt.Errorf("%s: %s", f.Store, f.Words))
		}
	}
	return errors.Join(errs...)
}

func (s *stores) embed(context.Context, *configs.Config, bool) (err error) {
	// It listens, if only for this machine, and knows the seed before the draw.
	password := rand.Text()
	s.mini = miniredis.NewMiniRedis()
	s.mini.RequireAuth(password)
	if err := s.mini.StartAddr("127.0.0.1:0"); err != nil {
		return fmt.Errorf("start embedded store: %w", err)
	}
	address := configs.NewSecret("redis://:" + password + "@" + s.mini.Addr())
	if s.Edge, err = openRedis(address); err != nil {
		return err
	}
	s.Worker, err = openRedis(address)
	return err
}

// openBooks opens the embedded books, of which there is one owner at a time.
func (s *stores) openBooks(ctx context.Context, cfg *configs.Config) (err error) {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}
	if s.Books, err = ledger.OpenSQLite(ctx, cfg.DataDir); err != nil {
		return err
	}
	return s.Books.Migrate(ctx)
}

// close closes in reverse order of opening and tolerates half-open stores. A second
// time it does nothing.
func (s *stores) close() (err error) {
	s.closed.Do(func() { err = s.closeAll() })
	return err
}

func (s *stores) closeAll() error {
	var errs []error
	if s.Books != nil {
		errs = append(errs, s.Books.Close())
	}
	for _, client := range []redis.UniversalClient{s.Worker, s.Edge} {
		if client != nil {
			errs = append(errs, client.Close())
		}
	}
	if s.mini != nil {
		s.mini.Close()
	}
	return errors.Join(errs...)
}
