package certs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

// Fast is a rhythm for tests that wait.
func Fast() Rhythm {
	r := usual()
	r.look, r.retry, r.reread, r.renew = 20*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
	r.settle, r.patrol = 20*time.Millisecond, time.Minute
	r.lease, r.stop = 3*time.Second, 5*time.Second
	r.tell = 50 * time.Millisecond
	return r
}

type (
	Rhythm   = rhythm
	Vault    = vault
	Attempts = attempts
)

// With changes one beat.
func (r Rhythm) With(change func(epoch, retry, patrol, lease *time.Duration)) Rhythm {
	change(&r.epoch, &r.retry, &r.patrol, &r.lease)
	return r
}

func NewWith(cfg *configs.Config, rdb redis.UniversalClient, reg prometheus.Registerer, log *zap.Logger, r Rhythm) (*Keeper, error) {
	return newKeeper(cfg, rdb, reg, log, r)
}

func NewVault(rdb redis.UniversalClient, lease time.Duration, secrets ...string) (*Vault, error) {
	var all []configs.Secret
	for _, s := range secrets {
		all = append(all, configs.NewSecret(s))
	}
	seal, err := newSealer(all)
	return newVault(rdb, seal, lease, zap.NewNop()), err
}

func (v *vault) Reseal(ctx context.Context) error { return v.reseal(ctx) }
func (v *vault) Settle(ctx context.Context)       { v.settle(ctx) }

func (a attempts) After(now time.Time, limited bool) attempts { return a.after(now, limited) }
func (a attempts) Left(now time.Time) time.Duration           { return a.left(now) }

var (
	NearEnd  = nearEnd
	EpochAt  = epochAt
	EpochEnd = epochEnd
	Ring     = ring
	ErrLost  = errLost
	NotHeld  = errNotHeld
)

const (
	FilesKey   = filesKey
	TicketsKey = ticketsKey
	LocksKey   = locksKey
	ALPN       = acmeALPN
)

// Apply is Prepare and what follows at once.
func (k *Keeper) Apply(cfg *configs.Config) error {
	serve, err := k.Prepare(cfg)
	if err == nil {
		serve()
	}
	return err
}
