package testserver

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	sentinels    = 3
	sentinelName = "shop"
	// Both are asked for everywhere, so that nothing works without them.
	nodePassword     = "of-the-nodes"
	sentinelPassword = "of-the-sentinels"
	replicaPassword  = "of-the-replicas"

	// DownAfter is when Sentinels, and the nodes of a Cluster, give up one that
	// does not answer.
	DownAfter = time.Second
)

// Sentinels are a primary and two replicas, and three Sentinels that watch them.
// Its methods may be called from any goroutine; a fault fails the test without
// ending it.
type Sentinels struct {
	// URL is redis-sentinel://…, with the passwords of the Sentinels and of the
	// nodes, which differ.
	URL   string
	Nodes []*RedisServer // the first begins as the primary

	Watchers []*RedisServer // the Sentinels

	t Owner
}

// StartSentinels starts them, with args for each node as in [StartRedis]. They
// end with the test.
func StartSentinels(t Owner, args ...string) *Sentinels {
	t.Helper()
	s := &Sentinels{t: t}
	for range 3 {
		n := startNode(t, redisKind, func(int) []string {
			rules := append([]string{"--requirepass", nodePassword}, replicaRules(replicaPassword)...)
			if len(s.Nodes) > 0 {
				host, port, _ := net.SplitHostPort(s.Nodes[0].Addr)
				rules = append(rules, "--replicaof", host, port)
			}
			return append(rules, args...)
		})
		n.password = nodePassword
		n.URL = "redis://:" + nodePassword + "@" + n.Addr + "/0"
		s.Nodes = append(s.Nodes, n)
	}
	until(t, "the replicas have copied the primary", func() bool { return s.Nodes[0].replicas() == 2 })
	for range sentinels {
		w := startNode(t, sentinelKind, func(int) []string { return watch(s.Nodes[0].Addr) })
		w.password = sentinelPassword
		s.Watchers = append(s.Watchers, w)
	}
	until(t, "the Sentinels know each other and all nodes", s.known)
	s.URL = s.url()
	return s
}

// watch is what a Sentinel is told of the primary.
func watch(addr string) []string {
	host, port, _ := net.SplitHostPort(addr)
	ms := fmt.Sprint(DownAfter.Milliseconds())
	return []string{
		"--requirepass", sentinelPassword, "--sentinel", "sentinel-pass", sentinelPassword,
		"--sentinel", "monitor", sentinelName, host, port, "2",
		"--sentinel", "auth-pass", sentinelName, nodePassword,
		"--sentinel", "down-after-milliseconds", sentinelName, ms,
		"--sentinel", "failover-timeout", sentinelName, "5000",
		"--sentinel", "parallel-syncs", sentinelName, "2",
	}
}

func (s *Sentinels) url() string {
	u := "redis-sentinel://:" + sentinelPassword + "@" + s.Watchers[0].Addr +
		"?master_name=" + sentinelName + "&password=" + nodePassword
	for _, w := range s.Watchers[1:] {
		u += "&addr=" + w.Addr
	}
	return u
}

// Client is a client of whichever node is the primary, as an edge has it. It is
// closed with its owner.
func (s *Sentinels) Client() *redis.Client {
	s.t.Helper()
	o := &redis.FailoverOptions{
		MasterName: sentinelName, SentinelPassword: sentinelPassword, Password: nodePassword,
		MaxRetries: -1, ContextTimeoutEnabled: true, DialerRetries: 1,
		DialTimeout: 2 * time.Second, ReadTimeout: 3 * time.Second,
	}
	for _, w := range s.Watchers {
		o.SentinelAddrs = append(o.SentinelAddrs, w.Addr)
	}
	rdb := redis.NewFailoverClient(o)
	s.t.Cleanup(func() { report(s.t, rdb.Close()) })
	return rdb
}

// known reports whether each Sentinel can act: knows two others and two replicas.
func (s *Sentinels) known() bool {
	for _, w := range s.Watchers {
		info, err := w.Do("SENTINEL", "MASTER", sentinelName)
		fields := pairsOf(info)
		if err != nil || fields["num-other-sentinels"] != "2" || fields["num-slaves"] != "2" || fields["flags"] != "master" {
			return false
		}
	}
	return true
}

// Primary is the node that the Sentinels name, most of them.
func (s *Sentinels) Primary() *RedisServer {
	votes := map[string]int{}
	for _, w := range s.Watchers {
		answer, err := w.Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinelName)
		if where, ok := answer.([]any); err == nil && ok && len(where) == 2 {
			votes[fmt.Sprintf("%v:%v", where[0], where[1])]++
		}
	}
	for _, n := range s.Nodes {
		if votes[n.Addr] > sentinels/2 {
			return n
		}
	}
	return s.Nodes[0]
}

// AwaitPrimary waits until the Sentinels name another node than old, and that
// node takes writes. It returns it.
func (s *Sentinels) AwaitPrimary(old *RedisServer) *RedisServer {
	var now *RedisServer
	until(s.t, "a replica is the primary", func() bool {
		now = s.Primary()
		return now != old && now.role() == "master"
	})
	return now
}

// Promote lets the Sentinels make a replica the primary, as an operator does who
// wants the primary's machine for something else. It returns the new one.
func (s *Sentinels) Promote() *RedisServer {
	old := s.Primary()
	now := old
	insist(s.t, "a replica is the primary", func() { _, _ = s.Watchers[0].Do("SENTINEL", "FAILOVER", sentinelName) }, func() bool {
		now = s.Primary()
		return now != old && now.role() == "master"
	})
	return now
}

// AwaitReplicas waits until every node but the primary follows it.
func (s *Sentinels) AwaitReplicas() {
	until(s.t, "all replicas follow the primary", func() bool {
		return s.Primary().replicas() == len(s.Nodes)-1 && s.known()
	})
}

// role is master or slave, or empty while the node does not answer.
func (s *RedisServer) role() string {
	answer, _ := s.Do("ROLE")
	if parts, ok := answer.([]any); ok && len(parts) > 0 {
		role, _ := parts[0].(string)
		return role
	}
	return ""
}

// replicas is how many replicas have copied this server and follow it.
func (s *RedisServer) replicas() int {
	answer, _ := s.Do("INFO", "replication")
	text, _ := answer.(string)
	return strings.Count(text, "state=online")
}

// pairsOf reads an answer of names and values in turn.
func pairsOf(answer any) map[string]string {
	list, _ := answer.([]any)
	fields := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		fields[fmt.Sprint(list[i])] = fmt.Sprint(list[i+1])
	}
	return fields
}
