package chaos

import (
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	dialTimeout = 2 * time.Second
	readTimeout = 3 * time.Second
)

// Connect returns a client of a Redis as the programs have it, which never
// repeats a command by itself, through relays. The address is one of redis://,
// redis-sentinel:// and redis-cluster://.
func Connect(address string, relays *Relays) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	rest = "redis://" + rest
	switch scheme {
	case "redis-cluster":
		o, err := redis.ParseClusterURL(rest)
		if err != nil {
			return nil, fmt.Errorf("connect to cluster: %w", err)
		}
		o.Dialer, o.MaxRetries, o.ContextTimeoutEnabled = relays.Dial, -1, true
		o.DialTimeout, o.ReadTimeout, o.DialerRetries = dialTimeout, readTimeout, 1
		o.ClusterStateReloadInterval, o.DisableRoutingPolicies = time.Second, true
		return redis.NewClusterClient(o), nil
	case "redis-sentinel":
		o, err := redis.ParseFailoverURL(rest)
		if err != nil {
			return nil, fmt.Errorf("connect to sentinels: %w", err)
		}
		o.Dialer, o.MaxRetries, o.ContextTimeoutEnabled = relays.Dial, -1, true
		o.DialTimeout, o.ReadTimeout, o.DialerRetries = dialTimeout, readTimeout, 1
		return redis.NewFailoverClient(o), nil
	default:
		o, err := redis.ParseURL(address)
		if err != nil {
			return nil, fmt.Errorf("connect to redis: %w", err)
		}
		o.Dialer, o.MaxRetries, o.ContextTimeoutEnabled = relays.Dial, -1, true
		o.DialTimeout, o.ReadTimeout, o.DialerRetries = dialTimeout, readTimeout, 1
		return redis.NewClient(o), nil
	}
}
