package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// saleID names the sale of all measurements.
const saleID = "golden-toy"

// lineKey is where Redis keeps its line.
const lineKey = "wr:{line:" + saleID + "}"

// usage is what Redis has done in a time, or up to a moment.
type usage struct {
	at     time.Time
	lasted time.Duration
	calls  int64         // of scripts, which is how edges ask for all they need
	cpu    time.Duration // of all its threads
}

// used asks Redis for its own counts.
func used(ctx context.Context, rdb *redis.Client) (u usage, err error) {
	all, err := rdb.InfoMap(ctx, "commandstats", "cpu").Result()
	if err != nil {
		return u, fmt.Errorf("ask redis what it did: %w", err)
	}
	u.at = time.Now()
	for _, name := range []string{"cmdstat_evalsha", "cmdstat_eval"} {
		calls, _, _ := strings.Cut(strings.TrimPrefix(all["Commandstats"][name], "calls="), ",")
		n, _ := strconv.ParseInt(calls, 10, 64) // absent: none yet
		u.calls += n
	}
	for _, name := range []string{"used_cpu_sys", "used_cpu_user"} {
		s, err := strconv.ParseFloat(all["CPU"][name], 64)
		if err != nil {
			return u, fmt.Errorf("ask redis what it did: %s: %w", name, err)
		}
		u.cpu += time.Duration(s * float64(time.Second))
	}
	return u, nil
}

// given is how many passes the line has counted itself.
func given(ctx context.Context, rdb *redis.Client) (int, error) {
	n, err := rdb.HGet(ctx, lineKey, "passes").Int()
	if err != nil {
		return 0, fmt.Errorf("ask redis for its passes: %w", err)
	}
	return n, nil
}
