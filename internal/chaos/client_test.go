package chaos_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// connect returns a client of a Redis, through relays. The address is one of
// redis://, redis-sentinel:// and redis-cluster://.
//
// As that of the programs, the client never repeats a command by itself, and looks
// at a Cluster anew every second. What they have besides it lacks: a picture of the
// Cluster that is renewed when a node goes away, connections that are looked at
// before use, pools of a size of their own, and TLS. Whole programs fail over in
// internal/e2e.
func connect(address string, relays *relays) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	rest = "redis://" + rest
	switch scheme {
	case "redis-cluster":
		o, err := redis.ParseClusterURL(rest)
		if err != nil {
			return nil, fmt.Errorf("connect to cluster: %w", err)
		}
		o.Dialer = relays.dial
		tune(&o.MaxRetries, &o.DialerRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout)
		o.ClusterStateReloadInterval, o.DisableRoutingPolicies = time.Second, true
		return redis.NewClusterClient(o), nil
	case "redis-sentinel":
		o, err := redis.ParseFailoverURL(rest)
		if err != nil {
			return nil, fmt.Errorf("connect to sentinels: %w", err)
		}
		o.Dialer = relays.dial
		tune(&o.MaxRetries, &o.DialerRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout)
		return redis.NewFailoverClient(o), nil
	default:
		o, err := redis.ParseURL(rest)
		if err != nil {
			return nil, fmt.Errorf("connect to redis: %w", err)
		}
		o.Dialer = relays.dial
		tune(&o.MaxRetries, &o.DialerRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout)
		return redis.NewClient(o), nil
	}
}

// tune sets what the three kinds of options have in common by name only.
func tune(retries, dials *int, underContext *bool, dial, read *time.Duration) {
	*retries, *dials, *underContext = -1, 1, true
	*dial, *read = 2*time.Second, 3*time.Second
}
