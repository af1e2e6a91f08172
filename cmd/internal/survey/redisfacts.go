package survey

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// redisFacts are what a Redis says about itself.
type redisFacts struct {
	clustered bool // the address names a Cluster
	nodes     []nodeFacts
	cluster   map[string]string // CLUSTER INFO; nil: none
	denied    map[string]string // commands that the scripts and the worker use, and why each failed
	err       error             // nobody answered
}

// nodeFacts are those of one server that takes writes, or should.
type nodeFacts struct {
	addr string
	info map[string]string // INFO, by field
	save string            // CONFIG GET save: when snapshots are taken
	sync string            // CONFIG GET appendfsync
	mute error             // CONFIG is forbidden
	err  error             // INFO failed
}

// redisWait bounds the survey of a store.
const redisWait = 5 * time.Second

//go:embed probe.lua
var probeLua string

var probe = redis.NewScript(probeLua)

// Redis asks every server behind a client that takes writes.
func Redis(ctx context.Context, rdb redis.UniversalClient) []Finding {
	ctx, cancel := context.WithTimeout(ctx, redisWait)
	defer cancel()
	return judgeRedis(readRedis(ctx, rdb))
}

func readRedis(ctx context.Context, rdb redis.UniversalClient) (f redisFacts) {
	_, f.clustered = rdb.(*redis.ClusterClient)
	if f.err = rdb.Ping(ctx).Err(); f.err != nil && !denies(f.err) {
		return f
	}
	f.err = nil
	switch c := rdb.(type) {
	case *redis.ClusterClient:
		var mu sync.Mutex
		f.err = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			n := readNode(ctx, node)
			mu.Lock()
			defer mu.Unlock()
			f.nodes = append(f.nodes, n)
			return nil
		})
		text, _ := c.ClusterInfo(ctx).Result() // what it may not tell is missing
		f.cluster = fields(text)
	case *redis.Client:
		f.nodes = append(f.nodes, readNode(ctx, c))
	default:
		f.err = fmt.Errorf("a client of type %T", rdb)
	}
	if f.err == nil {
		f.denied = tryCommands(ctx, rdb)
	}
	return f
}

func readNode(ctx context.Context, rdb *redis.Client) nodeFacts {
	n := nodeFacts{addr: rdb.Options().Addr}
	var text string
	if text, n.err = rdb.Info(ctx).Result(); n.err != nil {
		return n
	}
	n.info = fields(text)
	for name, into := range map[string]*string{"save": &n.save, "appendfsync": &n.sync} {
		said, err := rdb.ConfigGet(ctx, name).Result()
		if err != nil {
			n.mute = err
			return n
		}
		*into = said[name]
	}
	return n
}

// fields reads lines of name:value.
func fields(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			all[name] = value
		}
	}
	return all
}

// tryCommands runs what the packages run, on keys of its own that it removes, and
// says what failed.
func tryCommands(ctx context.Context, rdb redis.UniversalClient) map[string]string {
	denied := map[string]string{}
	key := fmt.Sprintf("wr:{survey:%s}:", uuid.NewString())
	if err := probe.Load(ctx, rdb).Err(); err != nil {
		denied["SCRIPT LOAD"] = err.Error()
	}
	said, err := probe.Run(ctx, rdb, []string{key + "hash", key + "bits", key + "stream", key + "set"}).StringSlice()
	if err != nil {
		denied["EVALSHA"] = err.Error()
	}
	for i := 0; i+1 < len(said); i += 2 {
		if !follows(said[i+1]) {
			denied[said[i]] = said[i+1]
		}
	}
	_, err = rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.XAck(ctx, key+"stream", "nobody", "0-1")
		p.XDel(ctx, key+"stream", "0-1")
		return nil
	})
	if err != nil && !follows(err.Error()) {
		denied["MULTI"] = err.Error()
	}
	return denied
}

// follows reports whether a command failed only because one before it did.
func follows(said string) bool {
	return strings.HasPrefix(said, "EXECABORT") || strings.HasPrefix(said, "NOGROUP") || strings.Contains(said, "no such key")
}

// denies reports whether a server answered that a known user may not do this, or
// not now.
func denies(err error) bool {
	_, answered := errors.AsType[redis.Error](err)
	return answered && !strings.HasPrefix(err.Error(), "NOAUTH") && !strings.HasPrefix(err.Error(), "WRONGPASS")
}
