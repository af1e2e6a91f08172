package testserver_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
)

func TestRedis_IsFreshAndPersistsNothing(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t)
	other := testserver.EdgeClient(t, testserver.Redis(t))
	client := testserver.EdgeClient(t, s.URL)
	set(t, client, "key")
	if has(t, other, "key") {
		t.Error("two servers share a key")
	}
	s.Stop()
	s.Start()
	if has(t, client, "key") {
		t.Error("key survived a restart without an append-only file")
	}
}

func TestRedis_KeepsWhatItWasToldToKeep(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t, "--appendonly", "yes", "--appendfsync", "always")
	client := testserver.EdgeClient(t, s.URL)
	set(t, client, "key")
	s.Kill()
	s.Start()
	if !has(t, client, "key") {
		t.Error("key did not survive a kill")
	}
}

func TestRedis_PauseFreezes(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t)
	client := testserver.EdgeClient(t, s.URL)
	set(t, client, "key")
	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := client.Ping(ctx).Err(); err == nil {
		t.Error("a paused server answered")
	}
	s.Resume()
	if !has(t, client, "key") {
		t.Error("key did not survive a pause")
	}
}

func TestRedis_KillEndsIt(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t)
	s.Pause()
	s.Kill()
	s.Kill() // twice is harmless
	if answers(s.Addr) {
		t.Error("a killed server listens")
	}
}

func TestPostgres_DatabasesAreFreshAndDropped(t *testing.T) {
	t.Parallel()
	var first string
	t.Run("first", func(t *testing.T) {
		first = testserver.Postgres(t)
		execute(t, first, "CREATE TABLE toys (id int)")
	})
	execute(t, testserver.Postgres(t), "CREATE TABLE toys (id int)")
	conn, err := pgx.Connect(t.Context(), first)
	if err == nil {
		conn.Close(t.Context())
		t.Error("a database outlives its test")
	}
}

func TestPostgres_KeepsCommits(t *testing.T) {
	t.Parallel()
	s := testserver.StartPostgres(t)
	execute(t, s.URL, "CREATE TABLE first (id int)")
	s.Kill()
	s.Start()
	execute(t, s.URL, "INSERT INTO first VALUES (1); CREATE TABLE second (id int)")
	s.Stop()
	s.Start()
	execute(t, s.URL, "INSERT INTO second SELECT id FROM first")
}

func TestMini_Answers(t *testing.T) {
	t.Parallel()
	client := testserver.EdgeClient(t, testserver.MiniURL(testserver.Mini(t)))
	set(t, client, "key")
	if !has(t, client, "key") {
		t.Error("key is lost")
	}
}

func set(t *testing.T, client *redis.Client, key string) {
	t.Helper()
	if err := client.Set(t.Context(), key, 1, 0).Err(); err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, client *redis.Client, key string) bool {
	t.Helper()
	n, err := client.Exists(t.Context(), key).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}

func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func answers(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
