package wiring

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

const (
	redisDial  = 2 * time.Second
	redisRead  = 3 * time.Second // above the worker's blocking reads
	redisConns = 64
)

// openRedis connects to what the address names: redis:// and rediss:// to one
// server, redis-sentinel:// to the master that Sentinels know, redis-cluster://
// to a Cluster, further nodes each as ?addr=. The client never repeats a
// command by itself: whether that is harmless, the packages know.
func openRedis(address configs.Secret) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(address.Reveal(), "://")
	switch scheme {
	case "redis-cluster":
		o, err := redis.ParseClusterURL("redis://" + rest)
		if err != nil {
			return nil, hideAddress(err)
		}
		tune(&o.MaxRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout, &o.PoolSize)
		return redis.NewClusterClient(o), nil
	case "redis-sentinel":
		o, err := redis.ParseFailoverURL("redis://" + rest)
		if err != nil {
			return nil, hideAddress(err)
		}
		tune(&o.MaxRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout, &o.PoolSize)
		return redis.NewFailoverClient(o), nil
	default:
		o, err := redis.ParseURL(address.Reveal())
		if err != nil {
			return nil, hideAddress(err)
		}
		tune(&o.MaxRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout, &o.PoolSize)
		return redis.NewClient(o), nil
	}
}

// tune sets what the three kinds of options have in common by name only.
func tune(retries *int, underContext *bool, dial, read *time.Duration, conns *int) {
	*retries, *underContext = -1, true
	*dial, *read, *conns = redisDial, redisRead, redisConns
}

// hideAddress keeps the password out of the error: url.Error quotes the whole.
func hideAddress(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return fmt.Errorf("redis.url: %w", err)
}

// pingRedis asks once, for readiness.
func pingRedis(ctx context.Context, rdb redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(ctx, redisDial)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}
