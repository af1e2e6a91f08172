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

	putScript *redis.Script

	shared, own map[int64]key
	said        bool // that shared keys are not known
}

// newTickets begins with a key of our own, so that no handshake waits for Redis.
func newTickets(rdb redis.UniversalClient, seal *sealer, use func([]key), r rhythm, log *zap.Logger) *tickets {
	t := &tickets{rdb: rdb, use: use, rhythm: r, log: log.Named("tickets"), putScript: script("put"), shared: map[int64]key{}, own: map[int64]key{}}
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
		delete(found, name)
		if ok || e >= epoch {
			errs = append(errs, t.learn(ctx, e, name, sealed, e >= epoch))
		}
	}
	errs = append(errs, t.forget(ctx, epoch, found))
	return errors.Join(errs...)
}

// learn takes a shared key over. Another than before, after a failover that forgot,
// makes that one ours: it opens still. One that is needed and that nobody has made, or
// that we cannot open and never could, is made; one that is over and does not open
// is as good as forgotten.
func (t *tickets) learn(ctx context.Context, epoch int64, name, sealed string, needed bool) error {
	k, first, err := t.open(name, sealed)
	before, known := t.shared[epoch]
	if err != nil && needed && (sealed == "" || !known) {
		if sealed, err = t.put(ctx, name, sealed, fresh()); err != nil {
			return err
		}
		k, first, err = t.open(name, sealed)
	}
	if err != nil {
		if !needed {
			return nil
		}
		return fmt.Errorf("open key: %w", err)
	}
	if known && before != k {
		t.own[epoch] = before
	}
	t.shared[epoch] = k
	if !first { // for edges that have the first secret alone
		_, err = t.put(ctx, name, sealed, k)
	}
	return err
}

func (t *tickets) open(name, sealed string) (k key, first bool, err error) {
	value, first, err := t.seal.Load().open(name, []byte(sealed))
	if err == nil && len(value) != len(k) {
		err = errSealed
	}
	if err != nil {
		return k, false, err
	}
	return key(value), first, nil
}

// put puts a key there in the place of what is there, or of nothing, unless another
// edge was faster, and gives what counts.
func (t *tickets) put(ctx context.Context, name, old string, k key) (sealed string, err error) {
	sealed, err = t.putScript.Run(ctx, t.rdb, []string{ticketsKey}, name, old, t.seal.Load().seal(name, k[:])).Text()
	if err != nil {
		return "", fmt.Errorf("put key: %w", err)
	}
	return sealed, nil
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
