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
	redisConns = 64              // to each node, unless the address says pool_size
	// topologyAge is how old the picture of a Cluster may become. One that a node
	// contradicts, or that names a node that is gone, is looked at anew at once.
	topologyAge = time.Second
)

// openRedis connects to what the address names: redis:// and rediss:// to one
// server, redis-sentinel:// to the primary that Sentinels know, redis-cluster://
// to a Cluster, further nodes each as ?addr=, with rediss- over TLS. The client
// never repeats a command of which it does not know what came of it: whether that
// is harmless, the packages know. It reads from primaries only.
func openRedis(address configs.Secret) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(address.Reveal(), "://")
	tls, topology, _ := strings.Cut(scheme, "-")
	switch plain := tls + "://" + rest; topology {
	case "cluster":
		return openCluster(plain)
	case "sentinel":
		return openSentinels(plain)
	default:
		return openServer(plain)
	}
}

func openServer(address string) (redis.UniversalClient, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, hideAddress(err)
	}
	tune(&o.MaxRetries, &o.DialerRetries, &o.PoolSize, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout)
	return redis.NewClient(o), nil
}

func openSentinels(address string) (redis.UniversalClient, error) {
	o, err := redis.ParseFailoverURL(address)
	if err != nil {
		return nil, hideAddress(err)
	}
	tune(&o.MaxRetries, &o.DialerRetries, &o.PoolSize, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout)
	o.Dialer = dialer(o.TLSConfig)
	return redis.NewFailoverClient(o), nil
}

// openCluster makes a client that follows redirects, for whoever sends one has
// done nothing, and a script that is asked to try again, or meets a node that
// does not serve now. All else is an answer, or is lost, see conn.
func openCluster(address string) (redis.UniversalClient, error) {
	o, err := redis.ParseClusterURL(address)
	if err != nil {
		return nil, hideAddress(err)
	}
	tune(&o.MaxRetries, &o.DialerRetries, &o.PoolSize, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout)
	o.ClusterStateReloadInterval = topologyAge
	// Readiness asks any node, not all: of its own shard each sale tells.
	o.DisableRoutingPolicies = true
	var c *redis.ClusterClient // dials only when it is asked for something
	o.Dialer = watchful(dialer(o.TLSConfig), func() { c.ReloadState(context.Background()) })
	c = redis.NewClusterClient(o)
	return c, nil
}

// tune sets what the three kinds of options have in common by name only.
func tune(retries, dials, conns *int, underContext *bool, dial, read *time.Duration) {
	*retries, *underContext = -1, true
	*dial, *read = redisDial, redisRead
	*dials = 1 // what is under way ends soon, and whoever comes next dials anew
	if *conns == 0 {
		*conns = redisConns
	}
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
