package certs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
)

const (
	callWait  = 3 * time.Second  // for one call to Redis
	storeWait = 10 * time.Second // for a value to be stored, however often it takes
	storePace = 250 * time.Millisecond
)

// A vault is what certmagic keeps its things in, in Redis, and the locks that
// edges hold there, see [certmagic.Storage] for what it promises. Names are those
// of files and folders; a value is sealed, so that neither it nor its age can be
// read or changed by who can read or write there, and is read from the primary.
type vault struct {
	rdb   redis.UniversalClient
	seal  *sealer
	log   *zap.Logger
	lease time.Duration // of a lock, unless its holder prolongs it

	mu   sync.Mutex
	held map[string]*holding // locks by name

	lockScript, unlockScript, deleteScript, putScript *redis.Script
}

func newVault(rdb redis.UniversalClient, seal *sealer, lease time.Duration, log *zap.Logger) *vault {
	return &vault{rdb: rdb, seal: seal, lease: lease, log: log, held: map[string]*holding{},
		lockScript: script("lock"), unlockScript: script("unlock"), deleteScript: script("delete"), putScript: script("put")}
}

// Store is tried again while Redis does not answer, for what is stored here was
// dearly got, and storing it twice is storing it once.
func (v *vault) Store(ctx context.Context, name string, value []byte) error {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	sealed := v.seal.seal(name, stamped(time.Now(), value))
	for {
		err := v.call(ctx, func(ctx context.Context) error { return v.rdb.HSet(ctx, filesKey, name, sealed).Err() })
		if err == nil {
			return nil
		}
		if !pause(ctx, storePace) {
			return fmt.Errorf("store %s: %w", name, err)
		}
	}
}

func (v *vault) Load(ctx context.Context, name string) ([]byte, error) {
	_, value, err := v.read(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	return value, nil
}

// read gives a value and when it was stored. One that cannot be opened does not
// exist: a shop that had to drop its secret goes on with new certificates.
func (v *vault) read(ctx context.Context, name string) (stored time.Time, value []byte, err error) {
	var sealed []byte
	err = v.call(ctx, func(ctx context.Context) (err error) {
		sealed, err = v.rdb.HGet(ctx, filesKey, name).Bytes()
		return err
	})
	if errors.Is(err, redis.Nil) {
		return time.Time{}, nil, fs.ErrNotExist
	}
	if err != nil {
		return time.Time{}, nil, err
	}
	opened, _, err := v.seal.open(name, sealed)
	if err != nil || len(opened) < stampSize {
		v.log.Warn("stored value does not open, as if it were not there", zap.String("name", name), zap.Error(err))
		return time.Time{}, nil, fs.ErrNotExist
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(opened))), opened[stampSize:], nil
}

const stampSize = 8

// stamped is a value behind the time at which it is stored.
func stamped(now time.Time, value []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli())), value...)
}

func (v *vault) Delete(ctx context.Context, name string) error {
	err := v.call(ctx, func(ctx context.Context) error {
		return v.deleteScript.Run(ctx, v.rdb, []string{filesKey}, name).Err()
	})
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

func (v *vault) Exists(ctx context.Context, name string) bool {
	_, err := v.Stat(ctx, name)
	return err == nil
}

func (v *vault) Stat(ctx context.Context, name string) (certmagic.KeyInfo, error) {
	stored, value, err := v.read(ctx, name)
	if err == nil {
		return certmagic.KeyInfo{Key: name, Modified: stored, Size: int64(len(value)), IsTerminal: true}, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		_, err = v.List(ctx, name, false) // a folder is what has something in it
	}
	if err != nil {
		return certmagic.KeyInfo{}, fmt.Errorf("stat %s: %w", name, err)
	}
	return certmagic.KeyInfo{Key: name}, nil
}

// List gives what is in a folder, and with recursive in the folders in it, too.
func (v *vault) List(ctx context.Context, folder string, recursive bool) ([]string, error) {
	var names []string
	err := v.call(ctx, func(ctx context.Context) (err error) {
		names, err = v.rdb.HKeys(ctx, filesKey).Result()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	inside := within(names, folder, recursive)
	if len(inside) == 0 {
		return nil, fmt.Errorf("list %s: %w", folder, fs.ErrNotExist)
	}
	return inside, nil
}

// within are the files and folders below a folder, in order; "" is above all.
func within(names []string, folder string, recursive bool) []string {
	if folder != "" {
		folder += "/"
	}
	found := map[string]bool{}
	for _, name := range names {
		rest, below := strings.CutPrefix(name, folder)
		if !below {
			continue
		}
		parts := strings.Split(rest, "/")
		if !recursive {
			parts = parts[:1]
		}
		for i := range parts {
			found[folder+strings.Join(parts[:i+1], "/")] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// reseal seals anew what lies there under a secret that is on its way out.
func (v *vault) reseal(ctx context.Context) error {
	var all map[string]string
	err := v.call(ctx, func(ctx context.Context) (err error) {
		all, err = v.rdb.HGetAll(ctx, filesKey).Result()
		return err
	})
	if err != nil {
		return fmt.Errorf("seal stored values anew: %w", err)
	}
	for name, sealed := range all {
		value, first, err := v.seal.open(name, []byte(sealed))
		if err != nil || first {
			continue
		}
		if err := v.call(ctx, func(ctx context.Context) error {
			return v.putScript.Run(ctx, v.rdb, []string{filesKey}, name, sealed, v.seal.seal(name, value)).Err()
		}); err != nil {
			return fmt.Errorf("seal %s anew: %w", name, err)
		}
	}
	return nil
}

// call asks Redis once, under a deadline.
func (v *vault) call(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	return ask(ctx)
}

// pause waits; false once ctx is done.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

var (
	_ certmagic.Storage          = (*vault)(nil)
	_ certmagic.TryLocker        = (*vault)(nil)
	_ certmagic.LockLeaseRenewer = (*vault)(nil)
)
