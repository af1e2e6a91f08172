package survey

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// redisFacts are what a Redis says about itself.
type redisFacts struct {
	clustered bool   // the address names a Cluster
	sentinels bool   // the address names Sentinels
	primary   string // the name under which they know it
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
	full string            // CONFIG GET cluster-require-full-coverage
	mute error             // CONFIG is forbidden
	err  error             // INFO failed
}

// redisWait bounds the survey of a store.
const redisWait = 5 * time.Second

//go:embed probe.lua
var probeLua string

var probe = redis.NewScript(probeLua)

// Redis asks every server behind a client that takes writes. The address is the
// one by which the client was opened, as redis.url says it.
func Redis(ctx context.Context, rdb redis.UniversalClient, address configs.Secret) []Finding {
	ctx, cancel := context.WithTimeout(ctx, redisWait)
	defer cancel()
	f := readRedis(ctx, rdb)
	if f.sentinels, f.primary = namedBy(address); f.sentinels {
		for i := range f.nodes { // it is whoever they name, and the client has no address of its own
			f.nodes[i].addr = f.primary
		}
	}
	return judgeRedis(f)
}

// namedBy reports whether an address is that of Sentinels, and whom they are asked
// for.
func namedBy(address configs.Secret) (sentinels bool, primary string) {
	u, err := url.Parse(address.Reveal())
	if err != nil || !strings.HasSuffix(u.Scheme, "-sentinel") {
		return false, ""
	}
	return true, u.Query().Get("master_name")
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
	if f.err == nil && !f.keepsNothing() {
		f.denied = tryCommands(ctx, rdb)
	}
	return f
}

// keepsNothing reports whether a Sentinel answers, of which no command needs to be
// tried.
func (f redisFacts) keepsNothing() bool {
	return slices.ContainsFunc(f.nodes, func(n nodeFacts) bool { return n.info["redis_mode"] == "sentinel" })
}

func readNode(ctx context.Context, rdb *redis.Client) nodeFacts {
	n := nodeFacts{addr: rdb.Options().Addr}
	var text string
	if text, n.err = rdb.Info(ctx).Result(); n.err != nil {
		return n
	}
	n.info = fields(text)
	for name, into := range map[string]*string{"save": &n.save, "appendfsync": &n.sync, "cluster-require-full-coverage": &n.full} {
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

// unnamedBy is what the client says before what each Sentinel said.
const unnamedBy = "all sentinels specified in configuration are unreachable"

// denies reports whether a server answered that a known user may not do this, or
// not now, so that something else can be asked of it.
func denies(err error) bool {
	_, answered := errors.AsType[redis.Error](err)
	return answered && !slices.ContainsFunc([]string{unnamedBy, "NOAUTH", "WRONGPASS", "DB index"},
		func(word string) bool { return strings.Contains(err.Error(), word) })
}
