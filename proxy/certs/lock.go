package certs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

const (
	lockLease = 30 * time.Second // until a lock whose holder died is free again
	lockPace  = 500 * time.Millisecond
)

var (
	errNotHeld = errors.New("lock is not held here")
	errLost    = errors.New("lock was lost: its lease ran out while Redis did not answer")
)

// A holding is a lock that this process holds, and the goroutine that prolongs
// its lease until it is let go.
type holding struct {
	holder string
	stop   context.CancelFunc
	done   chan struct{}
}

// Lock waits until the lock is free, ctx is done or Redis does not answer. A
// failover of Redis may forget it, and what it guards is then done twice.
func (v *vault) Lock(ctx context.Context, name string) error {
	for {
		locked, err := v.TryLock(ctx, name)
		if err != nil || locked {
			return err
		}
		if !pause(ctx, lockPace) {
			return fmt.Errorf("lock %s: %w", name, ctx.Err())
		}
	}
}

// TryLock does not wait for the lock.
func (v *vault) TryLock(ctx context.Context, name string) (bool, error) {
	holder := rand.Text()
	locked, err := v.lock(ctx, name, holder, "take")
	if err != nil {
		// It may be locked all the same, for a lease.
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	if !locked {
		return false, nil
	}
	keeping, stop := context.WithCancel(context.Background())
	h := &holding{holder: holder, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(h.done)
		v.prolong(keeping, name, holder)
	}()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held[name] = h
	return true, nil
}

func (v *vault) lock(ctx context.Context, name, holder, how string) (bool, error) {
	var done bool
	err := v.call(ctx, func(ctx context.Context) (err error) {
		done, err = v.lockScript.Run(ctx, v.rdb, []string{locksKey}, name, holder, v.lease.Milliseconds(), how).Bool()
		return err
	})
	return done, err
}

// prolong keeps a lock until ctx is done or it is lost.
func (v *vault) prolong(ctx context.Context, name, holder string) {
	for pause(ctx, v.lease/3) {
		kept, err := v.lock(ctx, name, holder, "keep")
		switch {
		case ctx.Err() != nil:
		case err != nil:
			v.log.Warn("lease of lock not prolonged", zap.String("lock", name), zap.Error(err))
		case !kept:
			v.log.Warn("lock lost", zap.String("lock", name))
			return
		}
	}
}

// RenewLockLease fails where the lock was lost. How long the lease is, is the
// vault's to say: a lock is kept for as long as its holder lives, and no longer.
func (v *vault) RenewLockLease(ctx context.Context, name string, _ time.Duration) error {
	v.mu.Lock()
	h := v.held[name]
	v.mu.Unlock()
	if h == nil {
		return fmt.Errorf("renew lease of %s: %w", name, errNotHeld)
	}
	kept, err := v.lock(ctx, name, h.holder, "keep")
	if err == nil && !kept {
		err = errLost
	}
	if err != nil {
		return fmt.Errorf("renew lease of %s: %w", name, err)
	}
	return nil
}

// Unlock lets go of a lock of this process, and of no other's. Where Redis does
// not answer, the lease runs out.
func (v *vault) Unlock(ctx context.Context, name string) error {
	v.mu.Lock()
	h := v.held[name]
	delete(v.held, name)
	v.mu.Unlock()
	if h == nil {
		return fmt.Errorf("unlock %s: %w", name, errNotHeld)
	}
	h.stop()
	<-h.done
	var freed bool
	err := v.call(ctx, func(ctx context.Context) (err error) {
		freed, err = v.unlockScript.Run(ctx, v.rdb, []string{locksKey}, name, h.holder).Bool()
		return err
	})
	if err == nil && !freed {
		err = errLost
	}
	if err != nil {
		return fmt.Errorf("unlock %s: %w", name, err)
	}
	return nil
}

// settle waits for locks to be let go, until ctx is done, and lets go of the rest.
func (v *vault) settle(ctx context.Context) {
	for len(v.holds()) > 0 && pause(ctx, 10*time.Millisecond) {
	}
	for _, name := range v.holds() {
		if err := v.Unlock(context.WithoutCancel(ctx), name); err != nil && !errors.Is(err, errNotHeld) {
			v.log.Warn("lock not let go, its lease will run out", zap.String("lock", name), zap.Error(err))
		}
	}
}

func (v *vault) holds() (names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name := range v.held {
		names = append(names, name)
	}
	return names
}
