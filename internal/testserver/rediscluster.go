package testserver

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	shards = 3
	slots  = 16384
)

// RedisCluster is a Cluster of three primaries with a replica each. Its methods
// may be called from any goroutine; a fault fails the test without ending it.
type RedisCluster struct {
	URL   string         // redis-cluster://…, with the password
	Nodes []*RedisServer // the first three begin as primaries, the others follow them in turn

	t   Owner
	ids map[string]*RedisServer // by the name that the Cluster gave
}

// StartRedisCluster starts one, with args for each node as in [StartRedis]. It
// ends with the test.
func StartRedisCluster(t Owner, args ...string) *RedisCluster {
	t.Helper()
	c := &RedisCluster{t: t, ids: map[string]*RedisServer{}}
	for range 2 * shards {
		c.add(args)
	}
	for i, n := range c.Nodes {
		n.must("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		if i < shards {
			n.must("CLUSTER", "ADDSLOTSRANGE", i*slots/shards, (i+1)*slots/shards-1)
		}
	}
	for _, n := range c.Nodes[1:] {
		host, port, _ := net.SplitHostPort(n.Addr)
		c.Nodes[0].must("CLUSTER", "MEET", host, port, n.bus)
	}
	until(t, "the nodes of the Cluster know each other", func() bool {
		return c.all(func(n *RedisServer) bool { return n.knows() == len(c.Nodes) })
	})
	for i, n := range c.Nodes[shards:] {
		n.must("CLUSTER", "REPLICATE", c.id(c.Nodes[i]))
	}
	c.AwaitReplicas()
	c.URL = "redis-cluster://:" + nodePassword + "@" + c.Nodes[0].Addr + "?addr=" + c.Nodes[1].Addr + "&addr=" + c.Nodes[2].Addr
	return c
}

func (c *RedisCluster) add(args []string) {
	c.t.Helper()
	bus, err := freePort()
	if err != nil {
		c.t.Fatal(err)
	}
	n := startNode(c.t, redisKind, func(int) []string {
		return append(append([]string{
			"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-port", strconv.Itoa(bus),
			"--cluster-node-timeout", strconv.FormatInt(DownAfter.Milliseconds(), 10),
			"--cluster-replica-validity-factor", "0", // also one that was cut off
			"--cluster-allow-replica-migration", "no",
			"--requirepass", nodePassword,
		}, replicaRules(replicaPassword)...), args...)
	})
	n.password, n.bus = nodePassword, bus
	n.URL = "redis://:" + nodePassword + "@" + n.Addr + "/0"
	c.Nodes = append(c.Nodes, n)
	c.ids[c.id(n)] = n
}

// Client is a client of all nodes. It is closed with its owner.
func (c *RedisCluster) Client() *redis.ClusterClient {
	c.t.Helper()
	o := &redis.ClusterOptions{
		Password: nodePassword, MaxRetries: -1, ContextTimeoutEnabled: true, DialerRetries: 1,
		DialTimeout: 2 * time.Second, ReadTimeout: 3 * time.Second, ClusterStateReloadInterval: time.Second,
	}
	for _, n := range c.Nodes {
		o.Addrs = append(o.Addrs, n.Addr)
	}
	rdb := redis.NewClusterClient(o)
	c.t.Cleanup(func() { report(c.t, rdb.Close()) })
	return rdb
}

// Owner is the primary of a key's slot, as most nodes that answer say; nil if
// none does.
func (c *RedisCluster) Owner(key string) *RedisServer {
	slot := c.slot(key)
	votes := map[*RedisServer]int{}
	var most *RedisServer
	for _, n := range c.Nodes {
		owner := c.ids[n.ownerOf(slot)]
		if votes[owner]++; owner != nil && (most == nil || votes[owner] > votes[most]) {
			most = owner
		}
	}
	return most
}

// Leads reports whether a node is a primary.
func (c *RedisCluster) Leads(n *RedisServer) bool { return n.role() == "master" }

// slot is the slot of a key.
func (c *RedisCluster) slot(key string) int64 {
	for _, n := range c.Nodes {
		if answer, err := n.Do("CLUSTER", "KEYSLOT", key); err == nil {
			return answer.(int64)
		}
	}
	return 0
}

// AwaitOwner waits until another node than old owns a key's slot, takes writes
// and all that answer say so. It returns it.
func (c *RedisCluster) AwaitOwner(key string, old *RedisServer) *RedisServer {
	var now *RedisServer
	until(c.t, "a replica has taken over", func() bool {
		now = c.Owner(key)
		return now != nil && now != old && now.role() == "master" && now.healthy()
	})
	return now
}

// Promote makes the replica of a primary take its place: in good order, with
// nothing forgotten, or with force, by a replica that need not have heard all.
func (c *RedisCluster) Promote(primary *RedisServer, force bool) {
	how := []any{"CLUSTER", "FAILOVER"}
	if force {
		how = append(how, "TAKEOVER")
	}
	for _, n := range c.Nodes {
		if n.follows(c.id(primary)) {
			insist(c.t, "the replica is primary", func() { _, _ = n.Do(how...) }, func() bool { return n.role() == "master" })
			return
		}
	}
	report(c.t, fmt.Errorf("promote: nobody follows %s", primary.Addr))
}

// AwaitReplicas waits until all nodes answer, each primary has a replica that
// follows it, and all agree that all is well.
func (c *RedisCluster) AwaitReplicas() {
	until(c.t, "the Cluster is whole", func() bool {
		following := 0
		for _, n := range c.Nodes {
			following += n.replicas()
		}
		return following == len(c.Nodes)-shards && c.all((*RedisServer).healthy)
	})
}

func (c *RedisCluster) all(f func(*RedisServer) bool) bool {
	for _, n := range c.Nodes {
		if !f(n) {
			return false
		}
	}
	return true
}

// id is the name that the Cluster gave to a node, also one that is down.
func (c *RedisCluster) id(n *RedisServer) string {
	for id, known := range c.ids {
		if known == n {
			return id
		}
	}
	id, _ := n.must("CLUSTER", "MYID").(string)
	return id
}

// healthy reports whether the node says that every slot is served.
func (s *RedisServer) healthy() bool {
	answer, _ := s.Do("CLUSTER", "INFO")
	text, _ := answer.(string)
	return strings.Contains(text, "cluster_state:ok")
}

// nodes are the lines in which a node tells what it knows of all.
func (s *RedisServer) nodes() [][]string {
	answer, _ := s.Do("CLUSTER", "NODES")
	text, _ := answer.(string)
	var lines [][]string
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= 8 {
			lines = append(lines, fields)
		}
	}
	return lines
}

// knows is how many nodes this one has shaken hands with, itself among them.
func (s *RedisServer) knows() int {
	n := 0
	for _, line := range s.nodes() {
		if !strings.Contains(line[2], "handshake") && !strings.Contains(line[2], "noaddr") {
			n++
		}
	}
	return n
}

// follows reports whether this node says that it is a replica of the primary.
func (s *RedisServer) follows(primary string) bool {
	for _, line := range s.nodes() {
		if strings.Contains(line[2], "myself,slave") && line[3] == primary {
			return true
		}
	}
	return false
}

// ownerOf is the name of the primary that this node thinks has a slot; empty if
// it knows of none.
func (s *RedisServer) ownerOf(slot int64) string {
	for _, line := range s.nodes() {
		if !strings.Contains(line[2], "master") {
			continue
		}
		for _, span := range line[8:] {
			first, last, ranged := strings.Cut(span, "-")
			if !ranged {
				last = first
			}
			low, err1 := strconv.ParseInt(first, 10, 64)
			high, err2 := strconv.ParseInt(last, 10, 64)
			if err1 == nil && err2 == nil && low <= slot && slot <= high {
				return line[0]
			}
		}
	}
	return ""
}
