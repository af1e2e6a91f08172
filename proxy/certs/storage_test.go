package certs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

const secret = "a secret of these tests, long enough"

// TestStorage holds both storages to what certmagic asks of one.
func TestStorage(t *testing.T) {
	t.Parallel()
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		contract(t, func() certmagic.Storage { return &certmagic.FileStorage{Path: t.TempDir()} })
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		rdb := testserver.EdgeClient(t, testserver.Redis(t))
		contract(t, func() certmagic.Storage { return empty(t, rdb) })
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		rdb := testserver.StartRedisCluster(t).Client()
		contract(t, func() certmagic.Storage { return empty(t, rdb) })
	})
}

// empty is a vault in which nothing lies.
func empty(t *testing.T, rdb redis.UniversalClient) *certs.Vault {
	t.Helper()
	if err := rdb.Del(t.Context(), certs.FilesKey, certs.LocksKey).Err(); err != nil {
		t.Fatal(err)
	}
	return vault(t, rdb, 30*time.Second, secret)
}

func vault(t *testing.T, rdb redis.UniversalClient, lease time.Duration, secrets ...string) *certs.Vault {
	t.Helper()
	v, err := certs.NewVault(rdb, lease, secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func contract(t *testing.T, open func() certmagic.Storage) {
	for name, test := range map[string]func(*testing.T, certmagic.Storage){
		"values": values, "folders": folders, "deletes": deletes, "writers": writers,
		"mutex": mutex, "patience": patience, "strangers": strangers,
	} {
		t.Run(name, func(t *testing.T) { test(t, open()) }) // one after another: they share a Redis
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// values: a load gives what was stored last, whatever it is.
func values(t *testing.T, s certmagic.Storage) {
	ctx := t.Context()
	if _, err := s.Load(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("load of nothing: %v, want fs.ErrNotExist", err)
	}
	if _, err := s.Stat(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of nothing: %v, want fs.ErrNotExist", err)
	}
	if s.Exists(ctx, "a/b") || s.Exists(ctx, "a") {
		t.Error("nothing exists")
	}
	for _, want := range [][]byte{[]byte("one"), {}, {0, 1, 2, 255}, bytes.Repeat([]byte("long"), 50_000)} {
		before := time.Now().Add(-2 * time.Second)
		must(t, s.Store(ctx, "a/b", want))
		if got, err := s.Load(ctx, "a/b"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("load: %d bytes, %v; want %d", len(got), err, len(want))
		}
		info, err := s.Stat(ctx, "a/b")
		if err != nil || info.Key != "a/b" || !info.IsTerminal || info.Size != int64(len(want)) || info.Modified.Before(before) {
			t.Errorf("stat: %+v, %v", info, err)
		}
	}
	if info, err := s.Stat(ctx, "a"); err != nil || info.IsTerminal {
		t.Errorf("stat of a folder: %+v, %v", info, err)
	}
	if !s.Exists(ctx, "a") || !s.Exists(ctx, "a/b") || s.Exists(ctx, "a/bc") {
		t.Error("what exists is not what was stored")
	}
}

// folders: a prefix is one of whole components.
func folders(t *testing.T, s certmagic.Storage) {
	ctx := t.Context()
	for _, name := range []string{"a/x", "a/b/y", "a/b/c/z", "ab/w", "v*[", "é/ü"} {
		must(t, s.Store(ctx, name, []byte("v")))
	}
	for _, test := range []struct {
		folder    string
		recursive bool
		want      []string
	}{
		{"a", false, []string{"a/b", "a/x"}},
		{"a", true, []string{"a/b", "a/b/c", "a/b/c/z", "a/b/y", "a/x"}},
		{"a/b", false, []string{"a/b/c", "a/b/y"}},
		{"ab", true, []string{"ab/w"}},
		{"", false, []string{"a", "ab", "v*[", "é"}}, // the root
		{"é", true, []string{"é/ü"}},
	} {
		got, err := s.List(ctx, test.folder, test.recursive)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("list %q (recursive: %t): %q, %v; want %q", test.folder, test.recursive, got, err, test.want)
		}
	}
	for _, folder := range []string{"c", "a/bc"} {
		if got, err := s.List(ctx, folder, true); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("list %q: %q, %v; want fs.ErrNotExist", folder, got, err)
		}
	}
}

// deletes: a file or a whole folder goes, and what is not there has gone.
func deletes(t *testing.T, s certmagic.Storage) {
	ctx := t.Context()
	for _, name := range []string{"a/x", "a/b/y", "ab/w", "a.b/v"} {
		must(t, s.Store(ctx, name, []byte("v")))
	}
	must(t, s.Delete(ctx, "nothing"))
	must(t, s.Delete(ctx, "a/x"))
	must(t, s.Delete(ctx, "a/x"))
	if s.Exists(ctx, "a/x") || !s.Exists(ctx, "a/b/y") {
		t.Error("deleting a file")
	}
	must(t, s.Delete(ctx, "a"))
	if s.Exists(ctx, "a/b/y") || s.Exists(ctx, "a") || !s.Exists(ctx, "ab/w") || !s.Exists(ctx, "a.b/v") {
		t.Error("deleting a folder")
	}
}

// writers: of values stored at once one is there, whole.
func writers(t *testing.T, s certmagic.Storage) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				if err := s.Store(t.Context(), "a/b", bytes.Repeat([]byte{byte(i)}, 10_000)); err != nil {
					t.Error(err)
				}
				got, err := s.Load(t.Context(), "a/b")
				if err != nil || len(got) != 10_000 || bytes.Count(got, got[:1]) != len(got) {
					t.Errorf("load: %d bytes, %v", len(got), err)
				}
			}
		})
	}
	all.Wait()
}

// mutex: one holds a lock at a time, and locks of other names stand for themselves.
func mutex(t *testing.T, s certmagic.Storage) {
	var inside, most, done atomic.Int32
	var all sync.WaitGroup
	must(t, s.Lock(t.Context(), "another"))
	for range 4 {
		all.Go(func() {
			if err := s.Lock(t.Context(), "one"); err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(30 * time.Millisecond)
			inside.Add(-1)
			done.Add(1)
			if err := s.Unlock(t.Context(), "one"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	must(t, s.Unlock(t.Context(), "another"))
	if most.Load() != 1 || done.Load() != 4 {
		t.Errorf("%d at once, %d in all; want 1 and 4", most.Load(), done.Load())
	}
	try := s.(certmagic.TryLocker)
	for _, want := range []bool{true, false} {
		if got, err := try.TryLock(t.Context(), "two"); err != nil || got != want {
			t.Errorf("try: %t, %v; want %t", got, err, want)
		}
	}
	must(t, s.Unlock(t.Context(), "two"))
}

// patience: who waits for a lock ends with its context.
func patience(t *testing.T, s certmagic.Storage) {
	must(t, s.Lock(t.Context(), "one"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.Lock(ctx, "one"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock: %v, want the end of the context", err)
	}
	must(t, s.Unlock(t.Context(), "one"))
	must(t, s.Lock(t.Context(), "one"))
	must(t, s.Unlock(t.Context(), "one"))
}

// strangers: a lock that nobody holds cannot be let go.
func strangers(t *testing.T, s certmagic.Storage) {
	if err := s.Unlock(t.Context(), "one"); err == nil {
		t.Error("a lock that was never taken is let go")
	}
}

// TestVault_Locks: a lock lives as long as its holder and a lease, no longer; only
// its holder lets it go.
func TestVault_Locks(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	relay := testserver.NewRelay(t, server.Addr)
	const lease = 2 * time.Second
	one := vault(t, testserver.EdgeClient(t, "redis://"+relay.Addr), lease, secret)
	two := vault(t, testserver.EdgeClient(t, server.URL), lease, secret)
	ctx := t.Context()

	must(t, one.Lock(ctx, "order"))
	if err := two.Unlock(ctx, "order"); !errors.Is(err, certs.NotHeld) {
		t.Errorf("unlock by another: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 3*lease)
	defer cancel()
	if err := two.Lock(short, "order"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held for three leases was taken: %v", err)
	}
	must(t, one.RenewLockLease(ctx, "order", time.Hour))

	relay.Shut() // as if its holder had died
	began := time.Now()
	must(t, two.Lock(ctx, "order"))
	if took := time.Since(began); took > lease+3*time.Second {
		t.Errorf("taken over after %v, want about a lease of %v", took, lease)
	}
	relay.Open()
	if err := one.RenewLockLease(ctx, "order", time.Hour); !errors.Is(err, certs.ErrLost) {
		t.Errorf("renew of a lost lock: %v", err)
	}
	if err := one.Unlock(ctx, "order"); !errors.Is(err, certs.ErrLost) {
		t.Errorf("unlock of a lost lock: %v", err)
	}
	if locked, err := one.TryLock(ctx, "order"); err != nil || locked {
		t.Errorf("try: %t, %v; the other holds it still", locked, err)
	}
	two.Settle(short) // which is over
	must(t, one.Lock(ctx, "order"))
	must(t, one.Unlock(ctx, "order"))
}

// TestVault_Sealed: what lies in Redis tells nothing, is bound to its name, and
// opens under any configured secret.
func TestVault_Sealed(t *testing.T) {
	t.Parallel()
	const newer = "a newer secret of these tests, longer"
	rdb := testserver.EdgeClient(t, testserver.Redis(t))
	ctx := t.Context()
	must(t, vault(t, rdb, time.Minute, secret).Store(ctx, "a", []byte("-----BEGIN PRIVATE KEY-----")))
	raw, err := rdb.HGet(ctx, certs.FilesKey, "a").Result()
	if err != nil || strings.Contains(raw, "PRIVATE") {
		t.Errorf("in Redis: %q, %v", raw, err)
	}
	must(t, rdb.HSet(ctx, certs.FilesKey, "b", raw, "short", "x", "empty", "").Err())
	opens := func(name string, secrets ...string) string {
		got, err := vault(t, rdb, time.Minute, secrets...).Load(ctx, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("load %s: %v", name, err)
		}
		return fmt.Sprintf("%d %t", len(got), err == nil)
	}
	const yes, no = "27 true", "0 false"
	for _, test := range []struct{ what, got, want string }{
		{"its secret", opens("a", secret), yes},
		{"another first", opens("a", newer, secret), yes},
		{"another alone", opens("a", newer), no},
		{"another name", opens("b", secret), no},
		{"short", opens("short", secret), no},
		{"empty", opens("empty", secret), no},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.what, test.got, test.want)
		}
	}
	must(t, vault(t, rdb, time.Minute, newer, secret).Reseal(ctx))
	if got := opens("a", newer); got != yes {
		t.Errorf("after it was sealed anew: %s", got)
	}
	if vault(t, rdb, time.Minute, newer).Exists(ctx, "b") {
		t.Error("what does not open exists")
	}
}

// TestVault_StoresThroughATrouble: what was dearly got is not lost to a moment
// without Redis; what cannot be stored ends in an error, in bounded time.
func TestVault_StoresThroughATrouble(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	relay := testserver.NewRelay(t, server.Addr)
	v := vault(t, testserver.EdgeClient(t, "redis://"+relay.Addr), time.Minute, secret)
	relay.Shut()
	time.AfterFunc(700*time.Millisecond, relay.Open)
	must(t, v.Store(t.Context(), "a", []byte("dear")))
	relay.Shut()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := v.Store(ctx, "a", []byte("lost")); err == nil {
		t.Error("stored without Redis")
	}
	if err := v.Lock(t.Context(), "a"); err == nil {
		t.Error("locked without Redis")
	}
	relay.Open()
	if got, err := v.Load(t.Context(), "a"); err != nil || string(got) != "dear" {
		t.Errorf("load: %q, %v", got, err)
	}
}
