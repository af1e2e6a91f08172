package survey

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// oldestRedis has XAUTOCLAIM and ZADD … GT. Valkey calls itself 7.2 or newer.
const oldestRedis = "6.2"

// userRule grants a user what the programs need, as docs/operations.md has it.
const userRule = "~wr:* +@all -@admin -@dangerous +info"

// fullAt is the part of maxmemory, in percent, from which a Redis is nearly full.
const fullAt = 80

// judgeRedis is pure: facts in, words out, faults first.
func judgeRedis(f redisFacts) []Finding {
	about := findings{store: "redis"}
	if f.err != nil {
		about.add(Fault, "does not answer: %s", unreachable(f))
		return about.all
	}
	for _, n := range f.nodes {
		about.all = append(about.all, judgeNode(f.clustered, n)...)
	}
	if f.clustered {
		judgeCluster(&about, f)
	}
	judgeDenied(&about, f)
	slices.SortStableFunc(about.all, func(a, b Finding) int { return cmp.Compare(b.Level, a.Level) })
	return about.all
}

// unreachable is why nobody answered, with what to do where the words alone would
// not say.
func unreachable(f redisFacts) string {
	said := oneLine(f.err)
	closed := strings.Contains(said, "NOAUTH") || strings.Contains(said, "WRONGPASS")
	switch {
	case f.sentinels && strings.Contains(said, unnamedBy):
		return unnamed(f, said, closed)
	case f.sentinels && closed:
		return said + ": the primary wants a user or password: write them as parameters, ?username=user&password=password, for those before the @ are the Sentinels' own"
	case strings.Contains(said, "cluster support disabled"):
		return "it is no Cluster: write redis:// in redis.url"
	case strings.Contains(said, "DB index is out of range"):
		return "it has no such database: write one that it has behind the host in redis.url, as /0"
	case closed:
		return said + ": write user and password into redis.url, as redis://user:password@host:6379/0"
	default:
		return said + ": look at redis.url, and whether Redis runs"
	}
}

// unnamed is why no Sentinel named a primary.
func unnamed(f redisFacts, said string, closed bool) string {
	switch {
	case strings.Contains(said, "redis: nil"):
		return fmt.Sprintf("the Sentinels know no primary %q: write master_name in redis.url as their sentinel monitor says it", f.primary)
	case strings.Contains(said, "unknown command"):
		return "who answers is no Sentinel: write redis:// in redis.url for a Redis, or the address of a Sentinel, whose port is 26379 as a rule"
	case closed:
		return "the Sentinels want another user or password: theirs stand before the @ in redis.url, as redis-sentinel://user:password@host:26379"
	default:
		return "no Sentinel answers: " + strings.TrimPrefix(said, "redis: "+unnamedBy+": ") + ": look at redis.url, and whether they run"
	}
}

func judgeNode(clustered bool, n nodeFacts) []Finding {
	about := findings{store: "redis " + n.addr}
	if n.err != nil {
		about.add(Unknown, "INFO is refused (%v): see for yourself that it is Redis %s or newer, a primary, persists, and evicts nothing", n.err, oldestRedis)
		return about.all
	}
	if version := n.info["redis_version"]; version != "" && older(version, oldestRedis) {
		about.add(Fault, "version %s is too old, it lacks XAUTOCLAIM and ZADD GT: use Redis %s or newer, or Valkey", version, oldestRedis)
	}
	judgeKind(&about, clustered, n.info)
	if n.info["redis_mode"] == "sentinel" {
		return about.all
	}
	judgeMemory(&about, n.info)
	judgePersistence(&about, n)
	return about.all
}

// judgeKind is about what sort of server answers under the address.
func judgeKind(about *findings, clustered bool, info map[string]string) {
	mode := info["redis_mode"]
	switch {
	case mode == "sentinel":
		about.add(Fault, "is a Sentinel and keeps nothing: write redis-sentinel://%s?master_name=NAME in redis.url", strings.TrimPrefix(about.store, "redis "))
	case mode == "cluster" && !clustered:
		about.add(Fault, "is a node of a Cluster: write redis-cluster:// in redis.url")
	case info["role"] == "slave":
		about.add(Fault, "is a replica of %s and takes no writes: name the primary in redis.url, or the Sentinels as redis-sentinel://", info["master_host"]+":"+info["master_port"])
	}
}

func judgeMemory(about *findings, info map[string]string) {
	policy := info["maxmemory_policy"]
	limit, used := number(info["maxmemory"]), number(info["used_memory"])
	switch evicts := policy != "" && policy != "noeviction"; {
	case evicts && limit > 0:
		about.add(Fault, "maxmemory-policy %s: when memory is short, winners and places are thrown away: set it to noeviction", policy)
	case evicts:
		about.add(Warning, "maxmemory-policy %s: once a maxmemory is set, winners and places are thrown away: set it to noeviction", policy)
	}
	if limit > 0 && used*100 >= limit*fullAt {
		about.add(Warning, "%d %% of maxmemory is used: when it is full, buys are answered 503: give it memory, or a Redis for this alone", min(used*100/limit, 100))
	}
}

// judgePersistence is about what a crash forgets. What was sold is in the books
// or, for a moment, in the stream alone: whoever is there when Redis forgets was
// told yes in vain.
func judgePersistence(about *findings, n nodeFacts) {
	file := n.info["aof_enabled"] == "1"
	switch {
	case n.info["aof_enabled"] == "":
		about.add(Unknown, "it does not say whether it persists: see that it does, best with appendonly yes")
	case !file && n.mute != nil:
		about.add(Warning, "appendonly is off, and CONFIG is refused, so whether it takes snapshots is not known: see that a restart keeps its data, or who has just been told yes may be forgotten")
	case !file && n.save == "":
		about.add(Warning, "it persists nothing: a restart forgets the line, and winners who are not in the books yet: set appendonly yes")
	case !file:
		about.add(Warning, "it takes snapshots only: a crash forgets what came after the last one, winners who are not in the books yet among it: set appendonly yes")
	case n.mute != nil:
		about.add(Unknown, "CONFIG is refused: see for yourself that appendfsync is everysec or always")
	case n.sync == "no":
		about.add(Warning, "appendfsync no: a crash of the machine forgets up to half a minute, winners who are not in the books yet among it: set everysec or always")
	}
	for field, what := range map[string]string{"aof_last_write_status": "append-only file", "rdb_last_bgsave_status": "last snapshot"} {
		if status := n.info[field]; status != "" && status != "ok" {
			about.add(Warning, "its %s could not be written: look at its log and its disk", what)
		}
	}
}

func judgeCluster(about *findings, f redisFacts) {
	if len(f.cluster) == 0 {
		about.add(Unknown, "CLUSTER INFO is refused: see for yourself that the Cluster is whole and has three primaries or more")
		return
	}
	if state := f.cluster["cluster_state"]; state != "ok" {
		about.add(Fault, "the Cluster is not whole (cluster_state %s, %s of 16384 slots are served): bring the missing nodes back", state, f.cluster["cluster_slots_ok"])
	}
	if size := number(f.cluster["cluster_size"]); size < 3 {
		about.add(Warning, "the Cluster has %d nodes that hold slots: when one is lost nobody can be voted into its place: use three or more", size)
	}
	for _, n := range f.nodes {
		if n.info["connected_slaves"] == "0" {
			about.all = append(about.all, Finding{Warning, "redis " + n.addr, "has no replica: while it is away, " + lacking(n) + ": give each primary one"})
		}
	}
}

// lacking is what goes on in a Cluster without one of its primaries.
func lacking(n nodeFacts) string {
	switch n.full {
	case "no":
		return "the lines and gates on its slots stand still, and with them each sale of which a bucket is there"
	case "yes":
		return "the Cluster is not whole and nothing is sold"
	}
	return "nothing is sold of what is on its slots, or, with cluster-require-full-coverage, of anything"
}

// judgeDenied is about commands that were tried. Those with one reason are named
// together.
func judgeDenied(about *findings, f redisFacts) {
	by := map[string][]string{}
	for _, command := range slices.Sorted(maps.Keys(f.denied)) {
		why := reason(f.denied[command])
		by[why] = append(by[why], command)
	}
	for _, why := range slices.Sorted(maps.Keys(by)) {
		if why == "" && Faulty(about.all) {
			continue // what sort of server it is says it already
		}
		about.add(Fault, "%s: %s", strings.Join(by[why], ", "), cmp.Or(why, "refused by a server that takes no writes: name the primary in redis.url"))
	}
}

// reason is what an answer of Redis means; empty for one that takes no writes.
func reason(said string) string {
	has := func(word string) bool { return strings.Contains(said, word) }
	switch {
	case has("NOPERM"), has("can't run this command"), has("can't access"), has("No permissions"):
		return "the user in redis.url may not: grant what the programs need, ACL SETUSER its-name " + userRule
	case has("OOM"):
		return "memory is full: raise maxmemory, or use a Redis for this alone"
	case has("MISCONF"):
		return "it takes no writes since its last snapshot failed: look at its log and its disk"
	case has("NOREPLICAS"):
		return "it takes no writes since too few replicas are connected (min-replicas-to-write): bring them back"
	case has("LOADING"):
		return "it is still loading its data: wait"
	case has("READONLY"):
		return ""
	case has("unknown command"), has("Unknown Redis command"), has("nknown subcommand"), has("disabled"):
		return "this Redis does not know it, or has it renamed: use one that runs Lua scripts and streams as Redis " + oldestRedis + " does"
	default:
		return said
	}
}

// older compares versions number by number.
func older(version, than string) bool {
	have, want := strings.Split(version, "."), strings.Split(than, ".")
	for i := range want {
		var part string
		if i < len(have) {
			part = have[i]
		}
		if a, b := number(part), number(want[i]); a != b {
			return a < b
		}
	}
	return false
}

// number is that of a text of digits; zero if it is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
