package chaos_test

import (
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

// topology is a kind of Redis.
type topology struct {
	name  string
	start func(*testing.T) *stores
}

// stores are one topology that runs.
type stores struct {
	url   string
	nodes []*testserver.RedisServer
	owner func(key string) *testserver.RedisServer // who answers for a key now

	sentinels *testserver.Sentinels    // nil, unless they watch
	cluster   *testserver.RedisCluster // nil, unless it is one
}

var (
	single = topology{"single", func(t *testing.T) *stores {
		s := testserver.StartRedis(t)
		return &stores{url: s.URL, nodes: []*testserver.RedisServer{s}, owner: func(string) *testserver.RedisServer { return s }}
	}}
	sentinel = topology{"sentinel", func(t *testing.T) *stores {
		s := testserver.StartSentinels(t)
		return &stores{url: s.URL, nodes: s.Nodes, sentinels: s, owner: func(string) *testserver.RedisServer { return s.Primary() }}
	}}
	cluster = topology{"cluster", func(t *testing.T) *stores {
		c := testserver.StartRedisCluster(t)
		return &stores{url: c.URL, nodes: c.Nodes, cluster: c, owner: c.Owner}
	}}
)
