package wiring

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// open is a client of what an address names.
func open(t *testing.T, address string) redis.UniversalClient {
	t.Helper()
	rdb, err := openRedis(configs.NewSecret(address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// forgetful is a Cluster of one node that does what it is told and hangs up in
// the place of an answer.
func forgetful(t *testing.T, done *atomic.Int64) (addr string) {
	t.Helper()
	s, err := server.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	host, port, _ := net.SplitHostPort(s.Addr().String())
	number, _ := strconv.Atoi(port)
	slots := func(c *server.Peer, _ string, _ []string) {
		c.WriteLen(1)
		c.WriteLen(3)
		c.WriteInt(0)
		c.WriteInt(16383)
		c.WriteLen(2)
		c.WriteBulk(host)
		c.WriteInt(number)
	}
	hangUp := func(c *server.Peer, _ string, _ []string) {
		done.Add(1)
		c.Close()
	}
	begin := func(c *server.Peer, _ string, _ []string) { c.WriteOK() }
	for name, do := range map[string]server.Cmd{"CLUSTER": slots, "MULTI": begin, "INCR": hangUp, "EVALSHA": hangUp} {
		if err := s.Register(name, do); err != nil {
			t.Fatal(err)
		}
	}
	return s.Addr().String()
}

// TestRedis_LostReplyIsNotSentAgain: what may have been done is not done twice by
// the client, of whichever kind it is, and our packages see that the connection
// broke.
func TestRedis_LostReplyIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(context.Context, redis.UniversalClient) error{
		"command": func(ctx context.Context, rdb redis.UniversalClient) error { return rdb.Incr(ctx, "a").Err() },
		"script": func(ctx context.Context, rdb redis.UniversalClient) error {
			return redis.NewScript("return 1").Run(ctx, rdb, []string{"a"}).Err()
		},
		"pipeline": func(ctx context.Context, rdb redis.UniversalClient) error {
			_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error { p.Incr(ctx, "a"); return nil })
			return err
		},
		"transaction": func(ctx context.Context, rdb redis.UniversalClient) error {
			_, err := rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Incr(ctx, "a"); return nil })
			return err
		},
	} {
		for _, scheme := range []string{"redis", "redis-cluster"} {
			t.Run(name+" over "+scheme, func(t *testing.T) {
				t.Parallel()
				var done atomic.Int64
				err := send(t.Context(), open(t, scheme+"://"+forgetful(t, &done)))
				if err == nil || done.Load() != 1 {
					t.Errorf("it was done %d times, want once, with an error; got %v", done.Load(), err)
				}
				if _, answered := errors.AsType[redis.Error](err); answered || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
					t.Errorf("got %v, which does not say that the connection broke", err)
				}
			})
		}
	}
}

// TestRedis_FollowsThePrimary: whichever node dies, is frozen or steps down, a
// client goes on with the one that takes its place, and that takes no longer than
// the nodes themselves need to agree, and a moment.
func TestRedis_FollowsThePrimary(t *testing.T) {
	t.Parallel()
	const more = 7 * time.Second // for the election, on a busy machine, and for a node that is asked in vain
	t.Run("of Sentinels", func(t *testing.T) {
		t.Parallel()
		s := testserver.StartSentinels(t)
		rdb := open(t, s.URL)
		standstill(t, "primary is killed", rdb, more, func() { s.Primary().Kill() })
		for _, n := range s.Nodes {
			revive(n)
		}
		s.AwaitReplicas()
		standstill(t, "primary steps down", rdb, more, func() { s.Promote() })
		s.AwaitReplicas()
		standstill(t, "primary stands still", rdb, more, func() { s.Primary().Pause() })
	})
	t.Run("of a Cluster", func(t *testing.T) {
		t.Parallel()
		c := testserver.StartRedisCluster(t)
		rdb := open(t, c.URL)
		standstill(t, "primary is killed", rdb, more, func() { c.Owner("key").Kill() })
		for _, n := range c.Nodes {
			revive(n)
		}
		c.AwaitReplicas()
		standstill(t, "primary steps down", rdb, more, func() { c.Promote(c.Owner("key"), false) })
		c.AwaitReplicas()
		standstill(t, "slot is moved", rdb, more, func() {
			from := c.Owner("key")
			to := c.Owner("b")
			if to == from {
				to = c.Owner("c")
			}
			c.Migrate("key", to, func() {})
		})
		standstill(t, "primary stands still", rdb, more, func() { c.Owner("key").Pause() })
	})
}

// standstill strikes while a client writes and tells for how long it could not.
func standstill(t *testing.T, what string, rdb redis.UniversalClient, most time.Duration, strike func()) {
	t.Helper()
	write := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return rdb.Set(ctx, "key", 1, 0).Err()
	}
	last, longest := time.Now(), time.Duration(0)
	struck := make(chan struct{})
	go func() {
		defer close(struck)
		strike()
	}()
	// It is over when all is well for as long as nodes need to notice.
	for well := time.Now(); time.Since(well) < 2*testserver.DownAfter || !isDone(struck); {
		if err := write(); err != nil {
			well = time.Now()
		} else {
			longest = max(longest, time.Since(last))
			last = time.Now()
		}
		if time.Since(last) > time.Minute {
			t.Fatalf("%s: nothing could be written for a minute", what)
		}
	}
	t.Logf("%s: nothing could be written for %v", what, longest.Round(10*time.Millisecond))
	if longest > testserver.DownAfter+most {
		t.Errorf("%s: nothing could be written for %v, want %v at most", what, longest, testserver.DownAfter+most)
	}
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// revive starts a node that was killed.
func revive(n *testserver.RedisServer) {
	conn, err := net.DialTimeout("tcp", n.Addr, time.Second)
	if err != nil {
		n.Start()
		return
	}
	_ = conn.Close()
}
