package testserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"
)

// replicaUser is the user as which replicas speak to their primary, so that they
// can be cut off from it while everybody else is answered.
const replicaUser = "replica"

// replicaRules lets a node be a replica, and have replicas.
func replicaRules(password string) []string {
	return []string{
		"--user", replicaUser, "on", ">" + password, "+psync", "+replconf", "+ping",
		"--masteruser", replicaUser, "--masterauth", password,
		"--repl-diskless-sync-delay", "0", "--repl-timeout", "10",
	}
}

// Do asks this server one command.
func (s *RedisServer) Do(args ...any) (any, error) {
	if s.paused.Load() {
		return nil, fmt.Errorf("%s: %v: it is paused", s.Addr, args[0])
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	rdb := redis.NewClient(&redis.Options{
		Addr: s.Addr, Password: s.password, MaxRetries: -1, ContextTimeoutEnabled: true,
		DialerRetries: 1, PoolSize: 1, ReadTimeout: 10 * time.Second, DisableIdentity: true, Protocol: 2,
	})
	defer rdb.Close()
	answer, err := rdb.Do(ctx, args...).Result()
	if err != nil {
		return nil, fmt.Errorf("%s: %v: %w", s.Addr, args[0], err)
	}
	return answer, nil
}

// must is Do for what cannot be refused.
func (s *RedisServer) must(args ...any) any {
	answer, err := s.Do(args...)
	report(s.t, err)
	return answer
}

// Flush makes the server, and its replicas, forget all, the scripts too.
func (s *RedisServer) Flush() {
	s.must("FLUSHALL")
	s.must("SCRIPT", "FLUSH")
}

// Fill makes the server refuse whatever takes memory, as one that is full does.
func (s *RedisServer) Fill() {
	s.must("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1")
}

// Drain ends a Fill.
func (s *RedisServer) Drain() { s.must("CONFIG", "SET", "maxmemory", "0") }

// CutReplicas keeps replicas from hearing anything more: what is written from
// now on is on this server alone, and is forgotten if one of them is promoted.
func (s *RedisServer) CutReplicas() {
	s.must("ACL", "SETUSER", replicaUser, "off")
	s.must("CLIENT", "KILL", "TYPE", "replica")
}

// JoinReplicas ends a CutReplicas.
func (s *RedisServer) JoinReplicas() { s.must("ACL", "SETUSER", replicaUser, "on") }

// Save keeps a copy of what the server holds, for Restore.
func (s *RedisServer) Save() {
	s.must("SAVE")
	s.copy("dump.rdb", "older.rdb")
}

// Restore kills the server and starts it again with the copy of the last Save,
// and nothing of what was written since. It is for a server without an
// append-only file, which would outrank the copy.
func (s *RedisServer) Restore() {
	s.Kill()
	s.copy("older.rdb", "dump.rdb")
	s.Start()
}

func (s *RedisServer) copy(from, to string) {
	raw, err := os.ReadFile(filepath.Join(s.process.dir, from))
	if err == nil {
		err = os.WriteFile(filepath.Join(s.process.dir, to), raw, 0o600)
	}
	report(s.t, err)
}

// until waits for what comes by itself. It fails the test if that is late.
func until(t Owner, what string, f func() bool) {
	t.Helper()
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !f() {
		select {
		case <-late.C:
			report(t, fmt.Errorf("wait until %s: not after %v", what, startTimeout))
			return
		case <-again.C:
		}
	}
}

// patience is how long a failover that was asked for may take: nodes and Sentinels
// that have voted a moment ago, or look at a replica that has just come back, let
// one run out.
const patience = 6 * time.Second

// insist asks for something until it is so. It fails the test if that is late.
func insist(t Owner, what string, ask func(), so func() bool) {
	t.Helper()
	var asked time.Time
	until(t, what, func() bool {
		if so() {
			return true
		}
		if time.Since(asked) > patience {
			ask()
			asked = time.Now()
		}
		return false
	})
}
