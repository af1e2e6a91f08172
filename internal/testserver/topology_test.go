package testserver_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestSentinels_PromoteAnother: whoever is the primary takes writes, those that
// replicas did not hear are forgotten, and a node that comes back follows.
func TestSentinels_PromoteAnother(t *testing.T) {
	t.Parallel()
	s := testserver.StartSentinels(t)
	rdb := s.Client()
	setKey(t, rdb, "heard")
	first := s.Primary()
	heard(t, first)
	first.CutReplicas()
	setKey(t, rdb, "unheard")
	first.Kill()
	second := s.AwaitPrimary(first)
	if !hasKey(t, rdb, "heard") || hasKey(t, rdb, "unheard") {
		t.Error("the promoted replica does not hold exactly what it heard")
	}
	first.Start()
	s.AwaitReplicas()
	if third := s.Promote(); third == second {
		t.Error("the primary is still the same")
	}
	setKey(t, rdb, "again")
}

// TestRedisCluster_PromotesAnother is the same for one node of a Cluster.
func TestRedisCluster_PromotesAnother(t *testing.T) {
	t.Parallel()
	c := testserver.StartRedisCluster(t)
	rdb := c.Client()
	for _, key := range []string{"a", "b", "c", "d"} {
		setKey(t, rdb, key)
	}
	first := c.Owner("a")
	heard(t, first)
	first.CutReplicas()
	setKey(t, rdb, "{a}unheard")
	first.Kill()
	c.AwaitOwner("a", first)
	if !hasKey(t, rdb, "a") || hasKey(t, rdb, "{a}unheard") {
		t.Error("the promoted replica does not hold exactly what it heard")
	}
	first.Start()
	c.AwaitReplicas()
	for _, force := range []bool{false, true} {
		old := c.Owner("a")
		c.Promote(old, force)
		c.AwaitOwner("a", old)
		c.AwaitReplicas()
		setKey(t, rdb, "{a}again")
	}
}

// TestRedisCluster_Migrate: a slot moves with all its keys.
func TestRedisCluster_Migrate(t *testing.T) {
	t.Parallel()
	c := testserver.StartRedisCluster(t)
	rdb := c.Client()
	setKey(t, rdb, "{a}1")
	setKey(t, rdb, "{a}2")
	from, steps := c.Owner("a"), 0
	to := c.Nodes[0]
	if to == from {
		to = c.Nodes[1]
	}
	c.Migrate("a", to, func() { steps++ })
	if c.AwaitOwner("a", from) != to || steps != 3 || !hasKey(t, rdb, "{a}1") || !hasKey(t, rdb, "{a}2") {
		t.Errorf("moved in %d steps, want 3, with both keys", steps)
	}
}

// TestRedis_Strikes: a server is emptied, filled and put back to an older copy.
func TestRedis_Strikes(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t)
	rdb := testserver.EdgeClient(t, s.URL)
	setKey(t, rdb, "older")
	s.Save()
	setKey(t, rdb, "newer")
	s.Restore()
	if !hasKey(t, rdb, "older") || hasKey(t, rdb, "newer") {
		t.Error("not exactly the older copy was restored")
	}
	s.Fill()
	if err := rdb.Set(t.Context(), "more", 1, 0).Err(); !redis.HasErrorPrefix(err, "OOM") {
		t.Errorf("a full server said %v", err)
	}
	s.Drain()
	setKey(t, rdb, "more")
	s.Flush()
	if hasKey(t, rdb, "older") {
		t.Error("a key survived")
	}
}

// setKey writes a key, also while a failover is on its way.
var offsets = regexp.MustCompile(`(?:,offset=|master_repl_offset:)(\d+)`)

// heard waits until every replica has what the primary has written.
func heard(t *testing.T, primary *testserver.RedisServer) {
	t.Helper()
	soon(t, func(context.Context) error {
		answer, err := primary.Do("INFO", "replication")
		if err != nil {
			return err
		}
		text, _ := answer.(string)
		found := offsets.FindAllStringSubmatch(text, -1)
		for _, offset := range found {
			if offset[1] != found[0][1] {
				return fmt.Errorf("replicas are behind: %s", text)
			}
		}
		return nil
	})
}

func setKey(t *testing.T, rdb redis.UniversalClient, key string) {
	t.Helper()
	soon(t, func(ctx context.Context) error { return rdb.Set(ctx, key, 1, 0).Err() })
}

func hasKey(t *testing.T, rdb redis.UniversalClient, key string) bool {
	t.Helper()
	var n int64
	soon(t, func(ctx context.Context) (err error) {
		n, err = rdb.Exists(ctx, key).Result()
		return err
	})
	return n == 1
}

func soon(t *testing.T, f func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		err := f(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
