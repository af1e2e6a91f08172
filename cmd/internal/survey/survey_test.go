package survey_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/cmd/internal/survey"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// persists are the options of a Redis that nothing is wrong with.
var persists = []string{"--appendonly", "yes", "--maxmemory", "200mb", "--maxmemory-policy", "noeviction"}

// client is one of a Redis, as a user if there is one.
func client(t *testing.T, addr, user string) *redis.Client {
	t.Helper()
	o := &redis.Options{Addr: addr, MaxRetries: -1, ContextTimeoutEnabled: true}
	if user != "" {
		o.Username, o.Password = user, "secret"
	}
	rdb := redis.NewClient(o)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// ask surveys what stands behind a client of an address that says nothing.
func ask(t *testing.T, rdb redis.UniversalClient) []survey.Finding {
	t.Helper()
	return survey.Redis(t.Context(), rdb, configs.Secret{})
}

// found checks that a survey finds these and no more; a text is part of one.
func found(t *testing.T, what string, got []survey.Finding, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: found %q, want %q", what, got, want)
		return
	}
	for i := range got {
		if !strings.Contains(got[i].String(), want[i]) {
			t.Errorf("%s: found %q, want %q", what, got[i], want[i])
		}
	}
}

// TestRedis_Fit: a server as it should be has no findings, and nothing is left on
// it.
func TestRedis_Fit(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t, persists...)
	rdb := client(t, s.Addr, "")
	found(t, "fit", ask(t, rdb))
	if keys, err := rdb.Keys(t.Context(), "*").Result(); err != nil || len(keys) != 0 {
		t.Errorf("left behind: %v, %v; want nothing", keys, err)
	}
}

// TestRedis_Unfit: what an operator sees who forgot something.
func TestRedis_Unfit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"nothing persists": {nil, []string{"warning: redis 127.0.0.1:"}},
		"snapshots only":   {[]string{"--save", "3600 1"}, []string{"it takes snapshots only"}},
		"evicts":           {append([]string{"--maxmemory-policy", "allkeys-lru"}, persists[:4]...), []string{"maxmemory-policy allkeys-lru: when memory is short"}},
		"may evict":        {append([]string{"--maxmemory-policy", "volatile-lru"}, persists[:2]...), []string{"warning: redis 127.0.0.1:"}},
		"never synced":     {append([]string{"--appendfsync", "no"}, persists...), []string{"appendfsync no"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testserver.StartRedis(t, test.args...)
			found(t, name, ask(t, client(t, s.Addr, "")), test.want...)
		})
	}
}

// TestRedis_Full: what is full says so, and keeps nothing of the survey.
func TestRedis_Full(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t, persists...)
	s.Fill()
	got := ask(t, client(t, s.Addr, ""))
	if !survey.Faulty(got) || !strings.Contains(got[0].String(), "memory is full: raise maxmemory") {
		t.Errorf("found %q, want that memory is full", got)
	}
}

// TestRedis_Replica: one that takes no writes is found, whatever is asked of it.
func TestRedis_Replica(t *testing.T) {
	t.Parallel()
	primary := testserver.StartRedis(t, persists...)
	host, port, _ := strings.Cut(primary.Addr, ":")
	s := testserver.StartRedis(t, append([]string{"--replicaof", host + " " + port}, persists...)...)
	found(t, "a replica", ask(t, client(t, s.Addr, "")),
		"is a replica of "+primary.Addr+" and takes no writes: name the primary in redis.url")
}

// TestRedis_Rights: users that may do less. A hosted Redis that forbids CONFIG is
// no fault.
func TestRedis_Rights(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t, persists...)
	for user, test := range map[string]struct {
		rules []string
		want  []string
	}{
		"hosted":  {[]string{"~*", "+@all", "-config"}, []string{"not checked: redis " + s.Addr + ": CONFIG is refused: see for yourself that appendfsync"}},
		"own":     {[]string{"~wr:*", "+@all", "-@admin", "-@dangerous", "+info"}, []string{"CONFIG is refused: see for yourself that appendfsync"}},
		"narrow":  {[]string{"~wr:*", "+@all"}, nil},
		"guest":   {[]string{"~guest:*", "+@all"}, []string{"the user in redis.url may not: grant what the programs need, ACL SETUSER its-name ~wr:* +@all"}},
		"nolua":   {[]string{"~*", "+@all", "-@scripting"}, []string{"fault: redis: EVALSHA, SCRIPT LOAD: the user in redis.url may not"}},
		"nozadd":  {[]string{"~*", "+@all", "-zadd", "-xautoclaim"}, []string{"fault: redis: XAUTOCLAIM, ZADD: the user in redis.url may not"}},
		"nomulti": {[]string{"~*", "+@all", "-multi"}, []string{"fault: redis: MULTI: the user in redis.url may not"}},
		"mute":    {[]string{"~*", "+@all", "-info", "-config"}, []string{"not checked: redis " + s.Addr + ": INFO is refused"}},
	} {
		rules := []any{"ACL", "SETUSER", user, "on", ">secret"}
		for _, r := range test.rules {
			rules = append(rules, r)
		}
		if _, err := s.Do(rules...); err != nil {
			t.Fatal(err)
		}
		found(t, user, ask(t, client(t, s.Addr, user)), test.want...)
	}
	found(t, "a wrong password", ask(t, client(t, s.Addr, "nobody")), "write user and password into redis.url")
}

// TestRedis_Away: nobody there is a fault, and found within the time of a survey.
func TestRedis_Away(t *testing.T) {
	t.Parallel()
	found(t, "away", ask(t, client(t, testserver.FreeAddress(t), "")), "does not answer")
	s := testserver.StartRedis(t)
	s.Pause()
	t.Cleanup(s.Resume)
	found(t, "frozen", ask(t, client(t, s.Addr, "")), "does not answer")
}

// TestRedis_Cluster: it is asked node by node; what is no Cluster, or is one under
// another name, is found.
func TestRedis_Cluster(t *testing.T) {
	t.Parallel()
	c := testserver.StartRedisCluster(t)
	got := ask(t, c.Client())
	if survey.Faulty(got) || len(got) == 0 || !strings.Contains(got[len(got)-1].String(), "persists nothing") {
		t.Errorf("found %q, want no fault, and for each primary that it persists nothing", got)
	}
	node := c.Owner("any")
	got = ask(t, testserver.EdgeClient(t, node.URL))
	if !strings.Contains(got[0].String(), "is a node of a Cluster: write redis-cluster:// in redis.url") {
		t.Errorf("by redis://: found %q", got)
	}
	single := testserver.StartRedis(t)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{single.Addr}})
	t.Cleanup(func() { _ = rdb.Close() })
	found(t, "no Cluster", ask(t, rdb), "it is no Cluster: write redis://")
}

// TestRedis_Sentinels: the primary is asked that they name; one of themselves is no
// store.
func TestRedis_Sentinels(t *testing.T) {
	t.Parallel()
	s := testserver.StartSentinels(t)
	got := ask(t, s.Client())
	if survey.Faulty(got) {
		t.Errorf("found %q, want no fault", got)
	}
}

// TestRedis_SentinelsMisnamed: what is wrong in their address is found, and said in
// its words.
func TestRedis_SentinelsMisnamed(t *testing.T) {
	t.Parallel()
	s := testserver.StartSentinels(t)
	single := testserver.StartRedis(t)
	right, err := redis.ParseFailoverURL(strings.Replace(s.URL, "redis-sentinel:", "redis:", 1))
	if err != nil {
		t.Fatal(err)
	}
	right.MaxRetries, right.DialerRetries, right.ContextTimeoutEnabled = -1, 1, true
	for name, test := range map[string]struct {
		change func(o *redis.FailoverOptions)
		want   string
	}{
		"another name":                {func(o *redis.FailoverOptions) { o.MasterName = "shopp" }, `the Sentinels know no primary "shopp": write master_name`},
		"a Redis":                     {func(o *redis.FailoverOptions) { o.SentinelAddrs, o.SentinelPassword = []string{single.Addr}, "" }, "who answers is no Sentinel: write redis://"},
		"nobody":                      {func(o *redis.FailoverOptions) { o.SentinelAddrs = []string{testserver.FreeAddress(t)} }, "no Sentinel answers: "},
		"no password of the node":     {func(o *redis.FailoverOptions) { o.Password = "" }, "the primary wants a user or password: write them as parameters, ?username=user&password=password"},
		"no password of the Sentinel": {func(o *redis.FailoverOptions) { o.SentinelPassword = "" }, "the Sentinels want another user or password: theirs stand before the @"},
	} {
		o := *right
		test.change(&o)
		rdb := redis.NewFailoverClient(&o)
		t.Cleanup(func() { _ = rdb.Close() })
		address := configs.NewSecret("redis-sentinel://:hidden@host?master_name=" + o.MasterName)
		found(t, name, survey.Redis(t.Context(), rdb, address), test.want)
	}
	found(t, "one of themselves", ask(t, testserver.EdgeClient(t, "redis://:"+right.SentinelPassword+"@"+s.Watchers[0].Addr)), "is a Sentinel and keeps nothing: write redis-sentinel://")
}

// TestRedis_Database: one that a server has not.
func TestRedis_Database(t *testing.T) {
	t.Parallel()
	rdb := redis.NewClient(&redis.Options{Addr: testserver.StartRedis(t, persists...).Addr, DB: 99, MaxRetries: -1})
	t.Cleanup(func() { _ = rdb.Close() })
	found(t, "database 99", ask(t, rdb), "it has no such database: write one that it has behind the host in redis.url, as /0")
}

// TestPostgres: the roles and settings that an operator forgets.
func TestPostgres(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := testserver.StartPostgres(t, "fsync=on").URL
	found(t, "fit", survey.Postgres(ctx, configs.NewSecret(url)))
	do(t, url, `CREATE ROLE guest LOGIN`, `CREATE TABLE sale_orders (x int)`, `GRANT SELECT ON sale_orders TO guest`,
		`CREATE ROLE later LOGIN`, `GRANT CREATE ON SCHEMA public TO later`, `ALTER ROLE later SET synchronous_commit = off`,
		`CREATE ROLE reader LOGIN`, `GRANT CREATE ON SCHEMA public TO reader`, `ALTER ROLE reader SET default_transaction_read_only = on`,
		`CREATE ROLE nowhere LOGIN`, `ALTER ROLE nowhere SET search_path = none`)
	as := func(role string) []survey.Finding {
		return survey.Postgres(ctx, configs.NewSecret(strings.Replace(url, "postgres@", role+"@", 1)))
	}
	found(t, "guest", as("guest"),
		"the role may not INSERT, UPDATE, DELETE in sale_orders", "the role may not make tables in schema public, where sale_stock would be")
	do(t, url, `DROP TABLE sale_orders`)
	found(t, "commits later", as("later"), "synchronous_commit is off")
	found(t, "read-only", as("reader"), "default_transaction_read_only is on")
	found(t, "no schema", as("nowhere"), "the role sees no schema")

	found(t, "fsync off", survey.Postgres(ctx, configs.NewSecret(testserver.Postgres(t))), "fsync is off")
	away := survey.Postgres(ctx, configs.NewSecret("postgres://u:hidden@"+testserver.FreeAddress(t)+"/db"))
	found(t, "away", away, "does not answer")
	if words := away[0].Words; strings.Contains(words, "\n") || strings.Count(words, "refused") != 1 {
		t.Errorf("away: said %q, want one line, and each reason once", words)
	}
	for _, f := range survey.Postgres(ctx, configs.NewSecret("postgres://u:hidden@127.0.0.1:1/db?sslmode=odd")) {
		if strings.Contains(f.String(), "hidden") {
			t.Errorf("the password is shown: %s", f)
		}
	}
}

func do(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
