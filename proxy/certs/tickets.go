package certs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
)

// tickets keeps the keys of session tickets (RFC 8446, 4.6.1; RFC 5077): a random
// one for each epoch, the same at all edges with one Redis, so that a shopper
// resumes at any of them. A key that is over is forgotten, also in Redis: what
// was sealed under it stays sealed.
type tickets struct {
	rdb    redis.UniversalClient // nil: the keys are ours alone
	seal   atomic.Pointer[sealer]
	use    func([]key)
	rhythm rhythm
	log    *zap.Logger

	shared, own map[int64]key
	said        bool // that shared keys are not known
}

// newTickets begins with a key of our own, so that no handshake waits for Redis.
func newTickets(rdb redis.UniversalClient, seal *sealer, use func([]key), r rhythm, log *zap.Logger) *tickets {
	t := &tickets{rdb: rdb, use: use, rhythm: r, log: log.Named("tickets"), shared: map[int64]key{}, own: map[int64]key{}}
	t.seal.Store(seal)
	t.turn(epochAt(time.Now(), r.epoch))
	return t
}

// run keeps the keys until ctx is done.
func (t *tickets) run(ctx context.Context) {
	for {
		epoch := epochAt(time.Now(), t.rhythm.epoch)
		next := epochEnd(epoch, t.rhythm.epoch)
		if t.rdb != nil {
			t.say(ctx, t.ask(ctx, epoch))
			next = earlier(next, time.Now().Add(t.rhythm.tell))
		}
		t.turn(epoch)
		if !pause(ctx, time.Until(next)) {
			return
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// turn forgets what is over and uses what is left. Without a shared key there is
// one of our own.
func (t *tickets) turn(epoch int64) {
	over := func(e int64, _ key) bool { return e < epoch-past }
	maps.DeleteFunc(t.shared, over)
	maps.DeleteFunc(t.own, over)
	_, known := t.shared[epoch]
	if _, ours := t.own[epoch]; !known && !ours {
		t.own[epoch] = fresh()
	}
	t.use(ring(epoch, t.shared, t.own))
}

func fresh() (k key) {
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// ask learns the shared keys, and makes those that nobody has made yet: of the
// epoch, and of the next, so that it is everywhere before it is used.
func (t *tickets) ask(ctx context.Context, epoch int64) error {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	found, err := t.rdb.HGetAll(ctx, ticketsKey).Result()
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	var errs []error
	for e := epoch - past; e <= epoch+1; e++ {
		name := strconv.FormatInt(e, 10)
		sealed, ok := found[name]
		if !ok && e >= epoch {
			if sealed, err = t.make(ctx, name); err != nil {
				return err
			}
		}
		if sealed != "" {
			errs = append(errs, t.learn(e, name, sealed))
		}
		delete(found, name)
	}
	errs = append(errs, t.forget(ctx, epoch, found))
	return errors.Join(errs...)
}

// make puts a new key there, unless another edge was faster, and gives the one
// that counts.
func (t *tickets) make(ctx context.Context, name string) (string, error) {
	k := fresh()
	if err := t.rdb.HSetNX(ctx, ticketsKey, name, t.seal.Load().seal(name, k[:])).Err(); err != nil {
		return "", fmt.Errorf("make key: %w", err)
	}
	sealed, err := t.rdb.HGet(ctx, ticketsKey, name).Result()
	if err != nil {
		return "", fmt.Errorf("read key: %w", err)
	}
	return sealed, nil
}

// learn takes a shared key over. Another than before, after a failover that
// forgot, makes that one ours: it opens still.
func (t *tickets) learn(epoch int64, name, sealed string) error {
	value, _, err := t.seal.Load().open(name, []byte(sealed))
	if err == nil && len(value) != len(key{}) {
		err = errSealed
	}
	if err != nil {
		return fmt.Errorf("open key: %w", err)
	}
	k := key(value)
	if before, ok := t.shared[epoch]; ok && before != k {
		t.own[epoch] = before
	}
	t.shared[epoch] = k
	return nil
}

// forget removes keys of epochs that are over from Redis.
func (t *tickets) forget(ctx context.Context, epoch int64, found map[string]string) error {
	var over []string
	for name := range found {
		if e, err := strconv.ParseInt(name, 10, 64); err == nil && e < epoch-past {
			over = append(over, name)
		}
	}
	if len(over) == 0 {
		return nil
	}
	if err := t.rdb.HDel(ctx, ticketsKey, over...).Err(); err != nil {
		return fmt.Errorf("forget keys: %w", err)
	}
	return nil
}

// say logs when keys are not shared any more, and when they are again.
func (t *tickets) say(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil || (err != nil) == t.said:
	case err != nil:
		t.log.Warn("keys of session tickets not shared, going on with our own", zap.Error(err))
	default:
		t.log.Info("keys of session tickets shared again")
	}
	t.said = err != nil && ctx.Err() == nil
}
