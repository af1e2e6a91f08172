package survey

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

// fit is a node that nothing is wrong with.
func fit() nodeFacts {
	return nodeFacts{addr: "10.0.0.6:6379", save: "", sync: "everysec", info: map[string]string{
		"redis_version": "7.2.4", "redis_mode": "standalone", "role": "master", "aof_enabled": "1",
		"maxmemory": "1000", "used_memory": "100", "maxmemory_policy": "noeviction",
		"aof_last_write_status": "ok", "rdb_last_bgsave_status": "ok", "connected_slaves": "1",
	}}
}

// with is a fit node that says something else.
func with(change func(n *nodeFacts)) redisFacts {
	n := fit()
	n.info = maps.Clone(n.info)
	change(&n)
	return redisFacts{nodes: []nodeFacts{n}}
}

func says(fields ...string) redisFacts {
	return with(func(n *nodeFacts) {
		for i := 0; i < len(fields); i += 2 {
			n.info[fields[i]] = fields[i+1]
		}
	})
}

func denied(why string, commands ...string) redisFacts {
	f := says()
	f.denied = map[string]string{}
	for _, c := range commands {
		f.denied[c] = why
	}
	return f
}

// cluster is one of so many fit nodes.
func cluster(size string, state string) redisFacts {
	f := says("redis_mode", "cluster")
	f.clustered = true
	f.cluster = map[string]string{"cluster_state": state, "cluster_size": size, "cluster_slots_ok": "10923"}
	return f
}

// TestJudgeRedis: each fact that matters is one finding, with what to do.
func TestJudgeRedis(t *testing.T) {
	t.Parallel()
	forbidden := errors.New("NOPERM")
	replicated := cluster("3", "ok")
	lonely := cluster("3", "ok")
	lonely.nodes[0].info["connected_slaves"] = "0"
	strict, lax := cluster("3", "ok"), cluster("3", "ok")
	for full, f := range map[string]redisFacts{"yes": strict, "no": lax} {
		f.nodes[0].info["connected_slaves"], f.nodes[0].full = "0", full
	}
	hidden := cluster("3", "ok")
	hidden.cluster = nil
	readOnly := denied("READONLY You can't write against a read only replica.", "HSET", "XADD")
	replica := says("role", "slave", "master_host", "10.0.0.5", "master_port", "6379")
	replica.denied = readOnly.denied

	for name, test := range map[string]struct {
		facts redisFacts
		want  []string // level and some words of each finding, in order; none: fit
	}{
		"fit":                {says(), nil},
		"exactly old enough": {says("redis_version", "6.2.0"), nil},
		"new, two digits":    {says("redis_version", "10.0"), nil},
		"too old":            {says("redis_version", "6.0.16"), []string{"fault: redis 10.0.0.6:6379: version 6.0.16 is too old, it lacks XAUTOCLAIM and ZADD GT: use Redis 6.2 or newer, or Valkey"}},
		"away":               {redisFacts{err: errors.New("dial tcp: refused")}, []string{"fault: redis: does not answer: dial tcp: refused: look at redis.url"}},
		"no password":        {redisFacts{err: errors.New("NOAUTH Authentication required.")}, []string{"write user and password into redis.url"}},
		"no Cluster":         {redisFacts{clustered: true, err: errors.New("ERR This instance has cluster support disabled")}, []string{"it is no Cluster: write redis://"}},
		"a Sentinel":         {says("redis_mode", "sentinel"), []string{"fault: redis 10.0.0.6:6379: is a Sentinel and keeps nothing: write redis-sentinel://10.0.0.6:6379?master_name=NAME in redis.url"}},
		"a Cluster's node":   {says("redis_mode", "cluster"), []string{"fault: redis 10.0.0.6:6379: is a node of a Cluster: write redis-cluster:// in redis.url"}},
		"a replica, once":    {replica, []string{"fault: redis 10.0.0.6:6379: is a replica of 10.0.0.5:6379 and takes no writes: name the primary"}},
		"read-only, unsaid":  {readOnly, []string{"fault: redis: HSET, XADD: refused by a server that takes no writes"}},
		"evicts":             {says("maxmemory_policy", "allkeys-lru"), []string{"fault: redis 10.0.0.6:6379: maxmemory-policy allkeys-lru: when memory is short, winners and places are thrown away: set it to noeviction"}},
		"would evict":        {says("maxmemory_policy", "volatile-ttl", "maxmemory", "0"), []string{"warning: redis 10.0.0.6:6379: maxmemory-policy volatile-ttl"}},
		"nearly full":        {says("used_memory", "800"), []string{"warning: redis 10.0.0.6:6379: 80 % of maxmemory is used"}},
		"not nearly full":    {says("used_memory", "799"), nil},
		"no limit":           {says("maxmemory", "0"), nil},
		"persists nothing":   {says("aof_enabled", "0"), []string{"warning: redis 10.0.0.6:6379: it persists nothing"}},
		"snapshots only":     {with(func(n *nodeFacts) { n.info["aof_enabled"], n.save = "0", "3600 1" }), []string{"warning: redis 10.0.0.6:6379: it takes snapshots only"}},
		"snapshots, unsaid":  {with(func(n *nodeFacts) { n.info["aof_enabled"], n.mute = "0", forbidden }), []string{"warning: redis 10.0.0.6:6379: appendonly is off, and CONFIG is refused"}},
		"hosted":             {with(func(n *nodeFacts) { n.mute = forbidden }), []string{"not checked: redis 10.0.0.6:6379: CONFIG is refused: see for yourself that appendfsync"}},
		"says nothing":       {with(func(n *nodeFacts) { n.info = map[string]string{} }), []string{"not checked: redis 10.0.0.6:6379: it does not say whether it persists"}},
		"INFO refused":       {with(func(n *nodeFacts) { n.err = forbidden }), []string{"not checked: redis 10.0.0.6:6379: INFO is refused (NOPERM)"}},
		"never synced":       {with(func(n *nodeFacts) { n.sync = "no" }), []string{"warning: redis 10.0.0.6:6379: appendfsync no"}},
		"disk full":          {says("aof_last_write_status", "err"), []string{"warning: redis 10.0.0.6:6379: its append-only file could not be written"}},
		"snapshot failed":    {says("rdb_last_bgsave_status", "err"), []string{"warning: redis 10.0.0.6:6379: its last snapshot could not be written"}},
		"faults first":       {says("aof_enabled", "0", "redis_version", "5.0.7"), []string{"fault: redis 10.0.0.6:6379: version 5.0.7", "warning: redis 10.0.0.6:6379: it persists nothing"}},

		"a Cluster":            {replicated, nil},
		"a Cluster in pieces":  {cluster("3", "fail"), []string{"fault: redis: the Cluster is not whole (cluster_state fail, 10923 of 16384 slots are served)"}},
		"too small a Cluster":  {cluster("2", "ok"), []string{"warning: redis: the Cluster has 2 nodes that hold slots"}},
		"without a replica":    {lonely, []string{"warning: redis 10.0.0.6:6379: has no replica: while it is away, nothing is sold of what is on its slots"}},
		"… and strict":         {strict, []string{"while it is away, the Cluster is not whole and nothing is sold"}},
		"… and not strict":     {lax, []string{"while it is away, the lines and gates on its slots stand still"}},
		"CLUSTER INFO refused": {hidden, []string{"not checked: redis: CLUSTER INFO is refused"}},

		"no rights":      {denied("NOPERM this user has no permissions to run the 'xadd' command", "XADD", "ZADD"), []string{"fault: redis: XADD, ZADD: the user in redis.url may not: grant what the programs need, ACL SETUSER its-name ~wr:* +@all -@admin -@dangerous +info"}},
		"no keys":        {denied("ERR The user executing the script can't access at least one of the keys mentioned", "HSET"), []string{"fault: redis: HSET: the user in redis.url may not"}},
		"not in scripts": {denied("ERR The user executing the script can't run this command or subcommand", "TIME"), []string{"fault: redis: TIME: the user in redis.url may not"}},
		"no scripts":     {denied("ERR unknown command 'EVALSHA'", "EVALSHA"), []string{"fault: redis: EVALSHA: this Redis does not know it"}},
		"full":           {denied("OOM command not allowed when used memory > 'maxmemory'.", "EVALSHA"), []string{"fault: redis: EVALSHA: memory is full"}},
		"cannot save":    {denied("MISCONF Redis is configured to save RDB snapshots", "EVALSHA"), []string{"fault: redis: EVALSHA: it takes no writes since its last snapshot failed"}},
		"no replicas":    {denied("NOREPLICAS Not enough good replicas to write.", "HSET"), []string{"fault: redis: HSET: it takes no writes since too few replicas"}},
		"loading":        {denied("LOADING Redis is loading the dataset in memory", "EVALSHA"), []string{"fault: redis: EVALSHA: it is still loading"}},
		"odd":            {denied("ERR odd", "HSET"), []string{"fault: redis: HSET: ERR odd"}},
		"many commands":  {denied("NOPERM", "A", "B", "C", "D", "E", "F", "G", "H"), []string{"fault: redis: A, B, C, D, E, F, G, H: the user"}},
	} {
		check(t, name, judgeRedis(test.facts), test.want)
	}
}

func check(t *testing.T, name string, got []Finding, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %q, want %q", name, got, want)
		return
	}
	for i := range got {
		if !strings.Contains(got[i].String(), want[i]) {
			t.Errorf("%s: got %q, want %q", name, got[i], want[i])
		}
	}
}

// books are those that nothing is wrong with, not made yet.
func books(change func(f *postgresFacts)) postgresFacts {
	f := postgresFacts{
		version: "17.2", number: 170002, synchronous: "on", fsync: true, encoding: "UTF8", schema: "public", mayCreate: true,
		tables: []tableFacts{{name: "sale_stock"}, {name: "journal"}},
	}
	change(&f)
	return f
}

// TestJudgePostgres: each fact that matters is one finding, with what to do.
func TestJudgePostgres(t *testing.T) {
	t.Parallel()
	whole := tableFacts{there: true, selects: true, inserts: true, updates: true, deletes: true, ours: true}
	table := func(name string, change func(t *tableFacts)) func(f *postgresFacts) {
		return func(f *postgresFacts) {
			one := whole
			one.name = name
			change(&one)
			f.tables, f.mayCreate = []tableFacts{one}, false
		}
	}
	for name, test := range map[string]struct {
		change func(f *postgresFacts)
		want   []string
	}{
		"fit, empty":         {func(*postgresFacts) {}, nil},
		"fit, with tables":   {table("sale_orders", func(*tableFacts) {}), nil},
		"exactly old enough": {func(f *postgresFacts) { f.number = 120000 }, nil},
		"too old":            {func(f *postgresFacts) { f.number, f.version = 110022, "11.22" }, []string{"fault: postgres: version 11.22 is too old: use Postgres 12 or newer"}},
		"away":               {func(f *postgresFacts) { f.err = errors.New("refused") }, []string{"fault: postgres: does not answer: refused: look at postgres.url"}},
		"a standby":          {func(f *postgresFacts) { f.standby, f.readOnly = true, true }, []string{"fault: postgres: is a standby and takes no writes: name the primary in postgres.url"}},
		"read-only":          {func(f *postgresFacts) { f.readOnly = true }, []string{"fault: postgres: takes no writes (default_transaction_read_only is on)"}},
		"commits later":      {func(f *postgresFacts) { f.synchronous = "off" }, []string{"fault: postgres: synchronous_commit is off"}},
		"commits here":       {func(f *postgresFacts) { f.synchronous = "local" }, nil},
		"never syncs":        {func(f *postgresFacts) { f.fsync = false }, []string{"fault: postgres: fsync is off"}},
		"another encoding":   {func(f *postgresFacts) { f.encoding = "LATIN1" }, []string{"warning: postgres: the database is encoded in LATIN1"}},
		"no schema":          {func(f *postgresFacts) { f.schema = "" }, []string{"fault: postgres: the role sees no schema"}},
		"may not create":     {func(f *postgresFacts) { f.mayCreate = false }, []string{"fault: postgres: the role may not make tables in schema public, where sale_stock would be: GRANT CREATE"}},
		"may not write":      {table("sale_orders", func(t *tableFacts) { t.inserts, t.deletes = false, false }), []string{"fault: postgres: the role may not INSERT, DELETE in sale_orders"}},
		"need not update":    {table("journal", func(t *tableFacts) { t.updates, t.deletes = false, false }), nil},
		"another's":          {table("gates", func(t *tableFacts) { t.ours = false }), []string{"warning: postgres: gates belong to another role"}},
	} {
		check(t, name, judgePostgres(books(test.change)), test.want)
	}
}
