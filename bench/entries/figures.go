package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// lineKey is where the line is, and what its other keys begin with.
const lineKey = "wr:{line:" + saleKey + "}"

// figures are what a Redis says of itself at one moment.
type figures struct {
	memory int64         // used_memory, bytes
	calls  int64         // that clients made to scripts
	adds   int64         // to sorted sets, those that scripts make among them
	inside int64         // commands, those that scripts run among them
	cpu    time.Duration // user and system
}

// look asks the server. Asking is a few commands itself.
func look(ctx context.Context, rdb *redis.Client) (f figures, err error) {
	info, err := rdb.InfoMap(ctx, "memory", "stats", "commandstats", "cpu").Result()
	if err != nil {
		return f, fmt.Errorf("ask redis: %w", err)
	}
	number := func(section, field string) (n int64) {
		if err == nil {
			n, err = strconv.ParseInt(info[section][field], 10, 64)
		}
		return n
	}
	f.memory = number("Memory", "used_memory")
	f.inside = number("Stats", "total_commands_processed")
	of := func(command string) (n int64) {
		if m := callsOf.FindStringSubmatch(info["Commandstats"]["cmdstat_"+command]); m != nil {
			n, _ = strconv.ParseInt(m[1], 10, 64) // the expression takes digits only
		}
		return n
	}
	f.calls, f.adds = of("evalsha")+of("eval"), of("zadd")
	for _, field := range []string{"used_cpu_user", "used_cpu_sys"} {
		if s, e := strconv.ParseFloat(info["CPU"][field], 64); e == nil {
			f.cpu += time.Duration(s * float64(time.Second))
		}
	}
	if err != nil {
		return f, fmt.Errorf("read what redis says of itself: %w", err)
	}
	return f, nil
}

var callsOf = regexp.MustCompile(`^calls=(\d+)`)

// keysMemory is what all keys of the line take, by the server's own account.
func keysMemory(ctx context.Context, rdb *redis.Client) (total int64, err error) {
	keys, err := rdb.Keys(ctx, "*").Result()
	for _, key := range keys {
		var n int64
		if n, err = rdb.MemoryUsage(ctx, key, 0).Result(); err != nil {
			break
		}
		total += n
	}
	if err != nil {
		return 0, fmt.Errorf("ask redis for the memory of its keys: %w", err)
	}
	return total, nil
}
